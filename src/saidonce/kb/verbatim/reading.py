"""Room: what a question asks for, and the words that a passage has to account for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.text import normalise, words
from saidonce.kb.verbatim.wordlists import LIGHT


class QuestionKind(StrEnum):
    """What a question asks for; a passage that answers it holds such a thing."""

    TIME = "a time of day"
    DATE = "a day or a time"
    PLACE = "a place"
    SUM = "a sum"
    COUNT = "a number"
    DURATION = "a length of time"
    FREQUENCY = "how often"
    PHONE = "a telephone number"
    EMAIL = "an e-mail address"
    ADDRESS = "an address"
    DEGREES = "a temperature"
    SIZE = "a measure"
    AGE = "an age"
    LEAVE = "whether it is allowed"
    PERSON = "who"
    ANY = "anything"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as it is read.

    Attributes:
        spoken: all its words, in order.
        content: words that a passage has to account for, in order, each once.
        hard: those of them that nothing else can stand for: figures and names.
        units: other homes that it names, such as "flat 12".
        is_particular: it asks about one person's or one home's own affairs, or about what has happened, which no
            document for all residents answers.
        deed: what leave is asked for, such as "paint"; empty if none is, or if it is a light word such as "have".
    """

    text: str
    kind: QuestionKind
    spoken: tuple[str, ...]
    content: tuple[str, ...]
    hard: frozenset[str] = frozenset()
    units: tuple[str, ...] = ()
    is_particular: bool = False
    deed: str = ""


_KINDS: tuple[tuple[QuestionKind, str], ...] = (
    (QuestionKind.EMAIL, r"\be-?mail(?: address)?\b(?!.{0,300}\bwhen\b)"),
    (QuestionKind.PHONE, r"\b(?:phone|telephone|mobile|contact|emergency|office) (?:number|no)\b|\bnumber (?:for|of)\b"
                         r"|\bwho (?:do|should|can) (?:i|we) (?:ring|call|phone)\b|\btelefonnummer\b"
                         r"|\btel[eé]fono\b"),
    (QuestionKind.ADDRESS, r"\b(?:what|whats|what's|which) .{0,300}\baddress\b|\badresse\b|\bdirecci[oó]n\b"),
    (QuestionKind.DEGREES, r"\bwhat (?:temp|temperature)\b|\bhow (?:hot|warm|cold)\b|\bwhich temperature\b"),
    (QuestionKind.AGE, r"\bhow old\b"),
    (QuestionKind.SIZE, r"\bhow (?:big|large|high|tall|wide|deep|far|heavy)\b|\bsquare (?:met|feet|foot)"),
    (QuestionKind.FREQUENCY, r"\bhow (?:often|many times|regularly)\b|\bwie oft\b|\bcada cu[aá]nto\b"),
    (QuestionKind.DURATION, r"\bhow (?:long|much (?:notice|time|warning)|many (?:days|weeks|months|hours|nights))\b"
                            r"|\bhow (?:soon|quick|quickly|fast)\b|\bwie lange\b|\bcu[aá]nto tiempo\b"
                            r"|\bcombien de temps\b|\bquanto tempo\b|\bhoe lang\b|\bjak d[lł]ugo\b"),
    (QuestionKind.SUM, r"\bhow much\b|\b(?:what|whats|what's) (?:is |does |do |are )?(?:the |it |a |an )?.{0,300}"
                       r"\b(?:cost|price|fee|charge|fine)s?\b|\bwas kostet\b|\bwie ?viel kostet\b"
                       r"|\bcu[aá]nto (?:cuesta|vale|es)\b|\bcombien\b|\bquanto (?:costa|custa)\b|\bwat kost"
                       r"|\bile kosztuje\b"),
    (QuestionKind.COUNT, r"\bhow many\b|\bwie ?viele\b|\bcu[aá]nt[oa]s\b"),
    (QuestionKind.TIME, r"\b(?:what|wot|wat|which) times?\b|\b(?:opening|office|quiet) (?:hours|times)\b"
                        r"|\bum wie ?viel uhr\b|\bqu[eé] horas?\b|\bquelle heure\b|\bche or[ae]\b|\bhoe laat\b"
                        r"|\bque horas\b|\bkt[oó]r(?:ej|a) godzin"),
    (QuestionKind.DATE, r"\bwhen(?:s|'s)?\b|\b(?:what|wot|wat|which) (?:day|days|date|dates)\b"
                        r"|\b(?:bin|collection|rubbish) days?\b|\bwann\b|\bcu[aá]ndo\b|\bquand\b|\bkiedy\b"
                        r"|\bquando\b|\bwanneer\b|\b(?:an )?welche[mrns]? tag|\bwelke dag|\bqu[eé] d[ií]as?\b"
                        r"|\bquels? jours?\b"
                        r"|\bche giorn[oi]\b|\bkt[oó]ry(?:ch|m)? d(?:zie[nń]|ni)|\b(?:ab|bis|seit) wann\b"),
    (QuestionKind.PLACE, r"\bwhere(?:s|'s|abouts)?\b|\bwo\b|\bwohin\b|\bd[oó]nde\b|\bo[uù] (?:est|sont|se)\b|\bgdzie\b"
                         r"|\bonde\b|\bdove?\b|\bdov'|\bwaar(?:heen)?\b|\boù\b|^\W*ou (?:peut|puis|faut|dois|je|on)\b"),
    (QuestionKind.LEAVE, r"\b(?:allowed|permitted|permission|consent)\b|\b(?:can|could|may) (?:i|we|my|our)\b"
                         r"|\bis it (?:ok|okay|alright|all right|fine|possible)\b|\bdo (?:you|u) allow\b"
                         r"|(?:^|[,.;!?]\s|\b(?:so|and|hi|hey)\s)(?:ok|okay|alright|all right|fine|cool) to\b"
                         r"|\b(?:is|would) (?:that|it) (?:be )?(?:ok|okay|alright|fine|allowed)\b"
                         r"|^\W*(?:are|is) .{1,60}\b(?:ok|okay|alright|all right|fine|welcome)\W*$"
                         r"|\b(?:darf|dürfen|erlaubt)\b|\b(?:puedo|podemos|se puede|permitido)\b|\bpeux\b|\bposso\b"
                         r"|\b(?:peut-on|puis-je|on peut|a-t-on le droit|est-il permis)\b"
                         r"|\b(?:possiamo|si pu[oò]|è permesso)\b"
                         r"|\b(?:podemos|pode-se|é permitido|se permite)\b|\b(?:mag|mogen) (?:ik|je|men|we|wij)\b"
                         r"|\b(?:wolno|mo[zż]na|mog[eę]|mo[zż]emy)\b"),
    (QuestionKind.ANY, r"\b(?:which|what) (?!times?\b|days?\b|dates?\b|hours?\b)\w+ (?:can|could|may|should|must|do)\b"
                       r"|\bhow (?:do|can|should|to|does|would|could)\b|\bwhat (?:happens|if)\b"
                       r"|\bwie (?:kann|muss|mache)\b|\bc[oó]mo\b|\bwhy\b"),
    (QuestionKind.PERSON, r"^\W*(?:so |and |hi |hello |also )*who(?:s|'s|m)?\b|\bwer\b|\bqui[eé]n\b"
                          r"|^\W*(?:wie|kto|chi|quem)\b(?= (?!kann|muss|mache|lang|oft|viel|laut|hoch))"),
)  # fmt: skip
_READ = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)

_UNIT = re.compile(r"\b(?:flat|unit|apartment|apt|suite|house|number|no)\.? ?(\d+\w?|[a-h])(?='s\b|\b)(?! ?(?:am|pm))")
_OTHERS = (
    r"(?:girl|guy|man|woman|lady|bloke|people|persons?|family|couple|tenants?|neighbou?rs?|residents?|kids?|lads?)"
)
_PARTICULAR = re.compile(
    r"\bwho (?:lives|lived|is living|rents|stays|else lives|complained|reported)\b|\bwhos? (?:is )?(?:my|the)"
    r" (?:next door|new|upstairs|downstairs)?\s*neighbou?r"
    rf"|\b{_OTHERS} (?:upstairs|downstairs|next door|above|below|opposite|across|in|at|from)\b.{{0,300}}"
    r"\b(?:paid|rent|name|number|phone|mobile|e-?mail|deposit|tenancy|contract|moving|moved|work|job)\b"
    rf"|\b(?:name|number|phone|mobile|e-?mail|rent|deposit|tenancy|contract) (?:of|from|for) (?:the |my |our )?"
    rf"(?:\w+ )?{_OTHERS}\b"
    r"|\b(?:why|when|where|how|how much) (?:was|were|did|has|have|had)(?! to\b)"
    r"|^\W*(?:so |and |hi |hello |also )*(?:has|have|had|did|were)(?! (?:i|we) (?:got )?to\b)\b"
    r"|^\W*(?:so |and |hi |hello |also )*was (?:the|my|our|it|there|i|a|he|she|that|this|your)\b"
    r"|\b(?:do|did|how much do) (?:i|we) owe\b|\bam (?:i|we) (?:in arrears|behind)\b|\bhow much is (?:my"
    r"|our) (?:rent|"
    r"balance)\b|\b(?:my|our) (?:balance|arrears)\b"
    r"|\bwhen (?:does|do|will|is) (?:my|our) (?:\w+ )?(?:tenancy|contract|lease|agreement|deposit|refund)\b"
    r"(?! (?:come|get|paid|returned|back))"
    r"|\b(?:home|private|personal) (?:address|number|phone|mobile|e-?mail)\b|\bmobile number\b"
    r"|\b(?:will|is) (?:my|our|the) rent (?:go|going|increas|be (?:increas|rais))|\brent (?:increase|rise"
    r"|go(?:ing)? up)"
    r"|\bwer wohnt\b|\bqui[eé]n vive\b"
)
_DEED = re.compile(
    r"\b(?:can|could|may) (?:i|we) (?:please |just |also )?(\w+)"
    r"|\b(?:allowed|permitted|ok|okay|alright|fine|possible) (?:for (?:me|us) )?to (\w+)"
)
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]+)\b")
_JOINED = re.compile(r"(?<=\w)['\u2019](?=s\b|re\b|m\b|ve\b|ll\b)")


def read_question(question: str) -> ParsedQuestion:
    """Read what a question asks for, and its words that are not light."""
    plain = normalise(question)
    matches = ((m.start(), n) for n, (_, pattern) in enumerate(_READ) if (m := pattern.search(plain)))
    kind = _READ[first[1]][0] if (first := min(matches, default=None)) is not None else QuestionKind.ANY
    units = tuple(m.group() for m in _UNIT.finditer(plain))
    spoken = tuple(map(_bare, words(question)))
    content = tuple(dict.fromkeys(w for w in spoken if (w not in LIGHT and len(w) > 1) or w.isdigit()))
    names = {w.casefold() for w in _NAME.findall(question)}
    hard = frozenset(w for w in content if any(c.isdigit() for c in w) or w in names)
    is_particular = _PARTICULAR.search(plain) is not None
    deed = _DEED.search(plain) if kind is QuestionKind.LEAVE else None
    verb = next((w for w in deed.groups() if w in content), "") if deed is not None else ""
    return ParsedQuestion(question, kind, spoken, content, hard, units, is_particular, verb)


def _bare(word: str) -> str:
    return _JOINED.sub("", word) if word.endswith(("'re", "'m", "'ve", "'ll")) else word.removesuffix("'s")
