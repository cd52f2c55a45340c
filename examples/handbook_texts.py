"""What the binary documents of the sample corpus say; `build_handbook.py` writes them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Heading(NamedTuple):
    """A heading below the title."""

    text: str
    level: int = 1


class Bullets(NamedTuple):
    """A list, numbered or not."""

    items: tuple[str, ...]
    numbered: bool = False


class Grid(NamedTuple):
    """A table; its first row is the header."""

    rows: tuple[tuple[str, ...], ...]


class About(NamedTuple):
    """What a file says about itself."""

    title: str
    author: str
    written: datetime


class SmallPrint(NamedTuple):
    """A paragraph in small letters."""

    text: str


Part = str | Heading | Bullets | Grid | SmallPrint
"""What a document is made of, in order; a string is a paragraph."""

# ---------------------------------------------------------------- texts that stand in several documents

OVERVIEW = (
    "Tarnbrook Cloud is a hosting provider with 46 people in Kendal, founded in 2011. We run two data centres, in "
    "Kendal and Carlisle, and host web shops, council websites and booking systems for about 900 customers in the "
    "north of England."
)
CONTACT = (
    "Questions about these answers go to Hesper Rowan, security officer, telephone 01632 960 118, e-mail "
    "security@tarnbrook.example, who replies within one working day and keeps the signed original."
)
DISCLAIMER = (
    "These terms apply together with the order form and replace what was said or written before. In case of doubt "
    "the signed order form prevails, and the law of England and Wales applies to both."
)
CERTIFICATES = (
    ("Certificate", "Covers", "Issued by", "Valid until"),
    ("ISO/IEC 27001:2022", "Both data centres, Tarn Web and Tarn Store", "Norland Assurance", "2027-03-31"),
    ("ISO 9001:2015", "Service desk and platform team", "Norland Assurance", "2026-11-30"),
    ("Cyber Essentials Plus", "The whole company", "Fellside Audit", "2026-02-28"),
    ("ISO 14001:2015", "Kendal data centre", "Norland Assurance", "2026-09-30"),
)
NEW_CERTIFICATE = ("ISO 22301:2019", "Platform team and both data centres", "Norland Assurance", "2028-01-31")

# ---------------------------------------------------------------- the documents

QUESTIONNAIRE: tuple[Part, ...] = (
    "Ullswater Building Society asked us to answer these questions before it renews its contract. Each answer has "
    "been checked by the team that does the work.",
    Heading("Part A: Organisation"),
    Heading("A1. Which certificates do you hold?", 2),
    Grid(CERTIFICATES),
    Heading("A2. Who is responsible for information security?", 2),
    "The security officer reports to the managing director and not to the platform team. She has a budget of her "
    "own, and can stop a release when she sees a risk in it.",
    Heading("Contact for part A", 2),
    CONTACT,
    Heading("Part B: Data protection and backups"),
    Heading("B1. How is customer data backed up?", 2),
    "All data of Tarn Web is backed up every night at 02:00 UTC. Each backup is encrypted with AES-256, copied to "
    "our second data centre in Carlisle, kept for 30 days, and tested once a quarter with a full restore.",
    Heading("B2. Where is the data processed?", 2),
    "All data stays in the United Kingdom. No copy, no log file and no support session leaves the country, and no "
    "subcontractor has an account on a server that holds customer data.",
    Heading("Contact for part B", 2),
    CONTACT,
    Heading("Part C: Technical measures"),
    Heading("C1. How are connections encrypted?", 2),
    "Connections to the portal and to the API are encrypted with TLS 1.3 or newer; older protocols are refused by "
    "the load balancers and the refusal is logged.",
    Heading("C2. How quickly are security updates installed?", 2),
    Bullets(
        (
            "Critical updates of systems that face the internet: within 24 hours",
            "Critical updates of all other systems: within 72 hours",
            "Everything else: in the maintenance window of the following Tuesday",
        )
    ),
    Heading("C3. Who approves access?", 2),
    "The team lead approves every request in a ticket. Access to the backup vault needs the approval of the "
    "security officer as well. All rights are reviewed at least once in a half-year.",
    Heading("Contact for part C", 2),
    CONTACT,
)

PROPOSAL: tuple[Part, ...] = (
    Heading("1. Who we are"),
    OVERVIEW,
    Heading("2. What you asked for"),
    "Lowther Parish Council wants to move its website, the booking of its village hall and an archive of planning "
    "documents before the contract with the present provider ends on 30 September 2025.",
    Bullets(
        (
            "One website with about 40,000 visits a month",
            "A booking system that three volunteers can use without training",
            "An archive of 1.2 TB that must be searchable by parish and year",
            "Sign-in with the accounts that the councillors already have",
        )
    ),
    Heading("3. What we propose"),
    "We propose Tarn Web in the size M for the website and the bookings, and Tarn Store for the archive. Both are "
    "managed by us: updates, monitoring and restores are part of the price.",
    Heading("3.1 Backups", 2),
    "All data of Tarn Web is backed up at 02:00 UTC every night. Each backup is encrypted with AES-256, copied to "
    "our second data centre in Carlisle, kept for 30 days, and tested each quarter with a full restore.",
    Heading("3.2 Certificates", 2),
    Grid((*CERTIFICATES, NEW_CERTIFICATE)),
    Heading("3.3 Moving in", 2),
    Bullets(
        (
            "Week 1: we copy the website to a test address and the council looks at it",
            "Week 2: the volunteers try the booking system with invented bookings",
            "Week 3: the archive is copied over three nights",
            "Week 4: the domain is switched on a Tuesday evening",
        ),
        numbered=True,
    ),
    Heading("4. Price"),
    Grid(
        (
            ("Item", "Once", "Each month"),
            ("Tarn Web M", "£0", "£85"),
            ("Tarn Store, 1.2 TB", "£0", "£30"),
            ("Moving in", "£640", "£0"),
            ("Training, half a day", "£280", "£0"),
        )
    ),
    "All prices are without value added tax and hold until 30 June 2025. The contract runs for twelve months and "
    "goes on month by month unless the council gives notice of four weeks.",
)

TERMS: tuple[Part, ...] = (
    Heading("1. The provider"),
    OVERVIEW,
    SmallPrint(DISCLAIMER),
    Heading("2. Availability"),
    "We promise the availability in the table for each calendar month. Maintenance that we announced seven days "
    "ahead, and outages that the customer caused, are not counted.",
    Grid(
        (
            ("Service", "Availability", "Credit for each hour missed"),
            ("Tarn Web", "99.90 %", "5 % of the monthly fee"),
            ("Tarn Store", "99.95 %", "4 % of the monthly fee"),
            ("Beck Mail", "99.50 %", "2 % of the monthly fee"),
        )
    ),
    SmallPrint(DISCLAIMER),
    Heading("3. Encryption"),
    "Connections to the portal and to the API are encrypted with TLS 1.2 or newer; older protocols are refused by "
    "the load balancers and the refusal is logged.",
    Heading("4. What the customer does"),
    "The customer chooses who may sign in, tells us without delay when a password or key has been lost, and keeps "
    "the software up to date that it has installed itself.",
    SmallPrint(DISCLAIMER),
    Heading("5. Notice"),
    "Either side may end the contract in writing with four weeks' notice to the end of a month. For thirty days "
    "after the end the customer can download all data; after that we delete it and confirm the deletion.",
    SmallPrint(DISCLAIMER),
)

INCIDENT: tuple[Part, ...] = (
    "Priority 1. Written by Anna Redmayne, incident manager. Sent to all customers concerned on 21 March 2025.",
    Heading("Summary"),
    "On 14 March 2025 between 06:12 and 09:47 UTC about 210 websites in the Kendal data centre answered slowly or "
    "not at all. No data was lost. The cause was a storage controller that did not hand over to its partner.",
    Heading("What happened when"),
    Grid(
        (
            ("Time (UTC)", "Event"),
            ("06:12", "Controller A of storage shelf 3 stops answering"),
            ("06:15", "Monitoring raises an alarm; the text message is not delivered"),
            ("06:41", "A customer calls the duty engineer"),
            ("06:58", "The incident is declared and the status page updated"),
            ("08:20", "Controller A is taken out of the pair by hand"),
            ("09:47", "All websites answer as usual"),
        )
    ),
    Heading("Cause"),
    "The firmware of the controllers had a known fault: when the cache was full at the moment of the handover, both "
    "partners waited for each other. The corrected firmware had been planned for the maintenance window in April.",
    Heading("What we have learned"),
    "The alarm came within three minutes and reached nobody for twenty-six, because text messages were our only "
    "path for alarms and the mobile network in Kendal was down that morning as well.",
    Heading("Measures"),
    Bullets(
        (
            "Install the corrected firmware on all twelve controllers: done on 18 March",
            "Test the handover under load every quarter: first test on 25 April",
            "Set up a second path for alarms that needs no mobile network: by 30 June",
        )
    ),
    Heading("Credit"),
    "The availability promised for March was missed for the websites concerned. The credit of 5 % of the monthly "
    "fee for each hour missed appears on the April invoice without anybody having to ask.",
)

CATALOGUE = {
    "Prices 2025": (
        ("Service", "Size", "Includes", "Price per month (GBP)", "Set-up (GBP)"),
        ("Tarn Web", "S", "1 site, 20 GB", 29, 0),
        ("Tarn Web", "M", "5 sites, 100 GB", 85, 0),
        ("Tarn Web", "L", "20 sites, 500 GB", 240, 150),
        ("Tarn Store", "per TB", "3 copies in 2 places", 25, 0),
        ("Beck Mail", "per mailbox", "25 GB, calendar", 4.5, 0),
        ("Advice", "per hour", "by an engineer", 95, 0),
    ),
    "Support levels": (
        ("Level", "Hours", "First answer, priority 1", "First answer, priority 3", "Surcharge"),
        ("Standard", "Mon-Fri 08:00-18:00 UTC", "1 hour", "1 working day", "none"),
        ("Extended", "daily 06:00-22:00 UTC", "30 minutes", "4 hours", "15 %"),
        ("Round the clock", "always", "15 minutes", "2 hours", "35 %"),
    ),
    "Discounts": (
        ("Who", "Discount", "Condition"),
        ("Charities and parish councils", "20 %", "Proof of registration"),
        ("Schools", "15 %", "Invoice to the school itself"),
        ("Two-year contracts", "10 %", "Paid yearly in advance"),
    ),
}

SLIDES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "When is it an incident?",
        (
            "Customers notice it, or would if they looked",
            "Data is lost, changed or seen by somebody who should not see it",
            "An alarm stays red for longer than fifteen minutes",
        ),
        "Ask the room for an example from their own week before showing the list. When in doubt it is an incident: "
        "closing one that was none costs ten minutes, opening one too late costs a night.",
    ),
    (
        "The first hour",
        (
            'Declare it in the channel "duty" and take the time',
            "One person leads, one person repairs, one person writes",
            "First message to customers within thirty minutes",
            "No guesses about the cause in messages",
        ),
        "The person who leads does not touch a keyboard except to write in the channel. Walk through the outage of "
        "14 March: twenty-six minutes passed before anybody knew.",
    ),
    (
        "What happens after an incident?",
        (
            "Next working day: the people involved meet for an hour",
            "Within five working days: written report to the customers concerned",
            "Each measure has a date and a responsible person",
            "After three months: Hesper checks that the measures were carried out",
        ),
        "The report names causes, never culprits. Show how a sentence that blames a person is turned into one that "
        "names the missing safeguard.",
    ),
)
PRIORITIES = (
    ("Priority", "Example", "Lead informed", "Updates"),
    ("1", "A data centre or more than 50 sites down", "at once", "every 2 hours"),
    ("2", "One customer down, a backup failed twice", "within 1 hour", "every 4 hours"),
    ("3", "Something is slow and there is a way around it", "next morning", "daily"),
)
