"""The worker: for each organisation it answers residents, delivers notices, and has pending submissions ruled on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job, Status

from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import APP_ROLE
from saidonce.adapters.postgres.migrate import SCHEMA as STORE_SCHEMA
from saidonce.adapters.senders import open_senders
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.errors import DeliveryError, NotFoundError, StoreBusyError, StoreUnavailableError, where
from saidonce.foundation import tracing
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, ChannelKind, Notice, PairRule, gray_modes
from saidonce.foundation.model.conversation import LandlordNotice
from saidonce.foundation.ports.sending import Sender
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.worker.queue_schema import CONNECT_TIMEOUT_S, SEARCH_PATH, prepare, prepare_own
from saidonce.interfaces.worker.rechecking import Rechecking
from saidonce.interfaces.worker.residents import Answering, answer_once
from saidonce.kb.pairs import rule_of
from saidonce.platform import notifications
from saidonce.repairs import conversation

NOTICES, RULINGS = "notices", "rulings"
"""Queues: what a `serve` delivers too, and what only a worker does."""

AT_ONCE = 4
"""Notices that a worker delivers at the same time."""

CLAIMED_EACH = 3
"""Pending submissions that a worker claims for each that it has ruled on at once; other workers may have the rest."""

POLL_S = 5.0
SWEEP = "* * * * * */5"
"""When a worker looks for pending submissions: every five seconds."""

TELL = "* * * * * */2"
"""When landlords' notices are gathered: an emergency may be among them."""

MOST_OPINIONS = 64
"""Pairs that one job asks about; a worker that shall stop waits for no more, and the next sweep goes on."""

MOST_PAIRS = 1_024
"""Texts that one job lists, and pairs that it compares; the next sweep goes on."""

AWAY = timedelta(minutes=1)
"""Pause of an organisation's second opinions after nobody answered."""

AGAIN_S = 2.0
"""Pause before a worker that lost its database tries again."""

POOL_TIMEOUT_S = 10.0
WORKER = "saidonce"
KEEP_FAILED_H = 30 * 24
DATABASE_ERRORS = (ConnectorException, psycopg.OperationalError)


class _Briefly(logging.Filter):
    """Leaves one line of what the library logs while the database is away; its calls say nothing more."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop the traceback of a record about the database, and let it through."""
        if record.exc_info and isinstance(record.exc_info[1], DATABASE_ERRORS):
            record.exc_info = None
        return True


for _name in ("procrastinate.utils", "procrastinate.worker", f"procrastinate.worker.{WORKER}"):
    logging.getLogger(_name).addFilter(_Briefly())


class FollowUp(Protocol):
    """What the delivery of a notice about a resident needs and leads to."""

    def __call__(self, org: str, notice: LandlordNotice, is_reached: bool, /) -> None:
        """Tell the resident the truth: whether the notice's receiver accepted it."""
        ...

    def link(self, org: str, notice: LandlordNotice, channel: Channel, /) -> str:
        """Return the link by which the receiver acknowledges the notice's alarm; empty for none."""
        ...


_log = logging.getLogger("saidonce")


def work(settings: Settings, once: bool = False, on_start: Callable[[Repairs], None] = lambda _: None) -> None:
    """Answer residents, deliver notices, rule on what waits, ask for second opinions, for all, until stopped.

    Args:
        settings: as for every command; the organisation in them does not restrict.
        once: do what is due now and return.
        on_start: called with the conversations once everything is there, before anything is done.

    Raises:
        StoreUnavailableError: the database cannot be reached, or an administrator has to prepare something.
        SettingsError: the mail server, the sender's address, who gives second opinions, a channel that residents
            write by, or the model that answers them is malformed.
        ArtefactError: a trained judge that gives them cannot be read, or was trained with another embedder.
    """
    with ExitStack() as stack:
        bases = Bases(stack.enter_context(KnowledgeBase(settings)))
        repairs = Repairs(bases.home, bases.whole)
        stack.callback(repairs.close)
        if repairs.is_on:
            repairs.check()
        bases.of(settings.org).store.rev()  # The tables of the base come first.
        if gray_modes(settings.gray_zone).asks:
            bases.home.second  # noqa: B018  Whoever cannot be opened is refused at start.
        server = own_server(settings, stack)
        url = queue_url(settings, server)
        senders = open_senders(
            settings.smtp_url, settings.smtp_from, settings.webhook_allow_private, settings.send_timeout_s
        )
        jobs = Jobs(settings, url, bases, senders, resident_follow_up(repairs))
        on_start(repairs)
        if not repairs.is_on:
            _log.info("worker.residents off")
        elif once:
            answer_once(repairs)
        else:
            stack.enter_context(Answering(repairs, repairs.orgs))
        try:
            asyncio.run(jobs.run_once() if once else _serve(jobs, server.ensure if server is not None else None))
        except DATABASE_ERRORS as failed:
            raise StoreUnavailableError(f"the job queue is not available ({type(failed).__name__})") from failed


def resident_follow_up(repairs: Repairs) -> FollowUp:
    """Return a callback that tells residents, after a delivery or failure, whether the landlord's team was reached."""
    return _ResidentFollowUp(repairs)


@dataclass(frozen=True, slots=True)
class _ResidentFollowUp:
    """See `FollowUp`."""

    repairs: Repairs

    def __call__(self, org: str, notice: LandlordNotice, is_reached: bool) -> None:
        conversation.tell_resident(self.repairs.deps(org), notice, is_reached)

    def link(self, org: str, notice: LandlordNotice, channel: Channel) -> str:
        return self.repairs.acknowledge_link(org, notice, channel)


def queue_url(settings: Settings, server: EmbeddedServer | None) -> str:
    """Prepare the job queue where the settings keep it, and return the URL to work with it.

    Raises:
        StoreUnavailableError: the database cannot be reached, or an administrator has to prepare something.
    """
    if server is not None:
        return prepare_own(server.url)
    prepare(settings.database_url)
    return settings.database_url


def own_server(settings: Settings, stack: ExitStack) -> EmbeddedServer | None:
    """Hold the embedded server for as long as the stack is open; None where the settings name a database."""
    if settings.database_url:
        return None
    server = EmbeddedServer(settings.data_dir.expanduser())
    stack.callback(server.close)
    return server


@dataclass(slots=True)
class Bases:
    """The bases of organisations; all share the connections and the model of the first, which is home's."""

    home: KnowledgeBase
    _opened: dict[str, KnowledgeBase] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, org: str) -> Context:
        """Return the wired base of an organisation."""
        return self.whole(org).base

    def whole(self, org: str) -> KnowledgeBase:
        """Return the knowledge base of an organisation, opened once."""
        if org == self.home.settings.org:
            return self.home
        with self._lock:
            if org not in self._opened:
                self._opened[org] = self.home.for_org(org)
            return self._opened[org]


@dataclass(frozen=True, slots=True)
class _Rest:
    """Why nothing is to be asked about an organisation's pairs now.

    Attributes:
        rev: revision at which nothing was left to do; None if nobody answered.
        until: when something is due whatever the revision; None if nothing will be.
    """

    rev: int | None
    until: datetime | None

    def holds(self, rev: int, now: datetime) -> bool:
        """Return whether the pause still holds."""
        return self.rev in (None, rev) and (self.until is None or now < self.until)


class Jobs:
    """The queues with their tasks: tick, tell, gather and deliver for notices; sweep, rule and opine for rulings.

    Args:
        settings: the program's.
        url: of the database.
        bases: of the organisations.
        senders: by kind of channel.
        follow_up: called with each notice about a resident after its delivery or failure; None for no call.
        rules: whether the rulings are done too; else only notices are.
    """

    def __init__(
        self, settings: Settings, url: str, bases: Bases, senders: Mapping[ChannelKind, Sender],
        follow_up: FollowUp | None = None, rules: bool = True,
    ) -> None:  # fmt: skip
        self._follow_up = follow_up
        self._queues = [NOTICES, RULINGS] if rules else [NOTICES]
        self._settings = settings
        self._url = url
        self._bases = bases
        self._senders = senders
        connector = PsycopgConnector(
            conninfo=url, min_size=1, max_size=AT_ONCE + 2, configure=_configure, timeout=POOL_TIMEOUT_S,
            kwargs={"connect_timeout": CONNECT_TIMEOUT_S},
        )  # fmt: skip
        self.app = App(connector=connector)
        back_off = BackOff(settings.notify_wait_s, settings.notify_longest_wait_s, settings.notify_tries)
        self._gather = self.app.task(name="gather", queue=NOTICES)(self.gather)
        self._deliver = self.app.task(name="deliver", queue=NOTICES, retry=back_off)(self.deliver)
        # No lock: a worker that is killed in a tick would keep all others from theirs.
        tick = self.app.task(name="tick", queue=NOTICES, queueing_lock="tick")(self.tick)
        self.app.periodic(cron="* * * * *")(tick)
        self._rule = self.app.task(name="rule", queue=RULINGS)(self.rule)
        self._opine = self.app.task(name="opine", queue=RULINGS)(self.opine)
        self._compare = self.app.task(name="compare", queue=RULINGS)(self.compare)
        self._recheck = self.app.task(name="recheck", queue=RULINGS)(self.recheck)
        self._rechecking = Rechecking(settings.gate_recheck_hours)
        self._ruled_for: set[str] = {settings.org}
        self._sync = self.app.task(name="sync", queue=RULINGS)(self.sync)
        self.stopping = threading.Event()
        self._rests: dict[str, _Rest] = {}
        self._ruling: set[str] = set()
        tell = self.app.task(name="tell", queue=NOTICES, queueing_lock="tell")(self.tell)
        self.app.periodic(cron=TELL)(tell)
        sweep = self.app.task(name="sweep", queue=RULINGS, queueing_lock="sweep")(self.sweep)
        if rules:
            self.app.periodic(cron=SWEEP)(sweep)

    async def run(self, wait: bool = True) -> None:
        """Run due jobs; without waiting, until none is left."""
        stalled_s = self._settings.worker_stalled_s
        async with self.app.open_async():
            await self.tick(0)
            await self.tell(0)
            if RULINGS in self._queues:
                await self.sweep(0)
            await self.app.run_worker_async(
                queues=self._queues, name=WORKER, wait=wait, concurrency=AT_ONCE if wait else 1,
                fetch_job_polling_interval=POLL_S, delete_jobs="successful", stalled_worker_timeout=stalled_s,
                update_heartbeat_interval=stalled_s / 3, install_signal_handlers=not wait,
            )  # fmt: skip

    async def run_once(self) -> None:
        """Do what is due now."""
        await self.run(wait=False)

    async def tick(self, timestamp: int) -> None:
        """Retry jobs of dead workers, delete old failures, and have every organisation gathered."""
        del timestamp
        manager = self.app.job_manager
        stalled_s = self._settings.worker_stalled_s
        stalled = [await manager.get_stalled_jobs(queue=q, seconds_since_heartbeat=stalled_s) for q in self._queues]
        for job in (job for jobs in stalled for job in jobs):
            with contextlib.suppress(ConnectorException):  # Another worker was faster.
                if job.task_name == "deliver":
                    await manager.retry_job(job)
                else:
                    await manager.finish_job(job, Status.FAILED, delete_job=True)
        for queue in self._queues:
            await manager.delete_old_jobs(nb_hours=KEEP_FAILED_H, queue=queue, include_failed=True)
        for org in await asyncio.to_thread(orgs_to_tell, self._url):
            await self._enqueue(self._gather, f"gather {org}", org=org)

    async def gather(self, org: str) -> None:
        """Create notices of new decisions, and enqueue the delivery of everything that waits.

        Only one gathering of an organisation runs at a time, and nothing else enqueues deliveries: a notice
        never has two jobs.
        """
        with tracing.span("job", task="gather"):
            created, waiting = await asyncio.to_thread(self._gathered, org)
        busy = {job.queueing_lock for job in await self._unfinished_jobs()}
        for notice in waiting:
            if (lock := f"deliver {org} {notice.id}") not in busy:
                await self._enqueue(self._deliver, lock, org=org, notice=notice.id)
        if created and self._settings.log_enabled:
            _log.info("notify.gathered notices=%d waiting=%d", len(created), len(waiting))

    async def deliver(self, org: str, notice: str) -> None:
        """Send one notice."""
        try:
            with tracing.span("job", task="deliver"):
                outcome = await asyncio.to_thread(self._delivered, org, notice)
        except NotFoundError:
            return  # The channel was removed, and its notices with it.
        if self._settings.log_enabled:
            _log.info("notify.delivered notice=%s outcome=%s", notice, outcome)

    async def tell(self, timestamp: int) -> None:
        """Have the landlords' notices gathered, of every organisation with a channel."""
        del timestamp
        for org in await asyncio.to_thread(orgs_to_tell, self._url):
            if await asyncio.to_thread(self._landlord_notices, org):
                await self._enqueue(self._gather, f"gather {org}", org=org)

    async def sweep(self, timestamp: int) -> None:
        """Enqueue second opinions for waiting pairs of every organisation."""
        del timestamp
        for org in await asyncio.to_thread(orgs_with_pending, self._url):
            self._ruled_for.add(org)
            await self._enqueue(self._rule, f"rule {org}", is_alone=False, org=org)
        now = self._bases.home.base.clock.now()
        for org in sorted(org for org in self._ruled_for if self._rechecking.due(org, now)):
            await self._enqueue(self._recheck, f"recheck {org}", org=org)
        for org in await asyncio.to_thread(orgs_with_syncs_due, self._url, self._bases.home.base.clock.now()):
            await self._enqueue(self._sync, f"sync {org}", org=org)
        if gray_modes(self._settings.gray_zone).asks:
            for org in await asyncio.to_thread(orgs_in_doubt, self._url):
                await self._enqueue(self._opine, f"opine {org}", org=org)
        if self._settings.pairs_enabled:
            for org in await asyncio.to_thread(self._orgs_with_pairs):
                await self._enqueue(self._compare, f"compare {org}", org=org)

    async def sync(self, org: str) -> None:
        """Bring collections in step with the sources that are due; a worker that shall stop cuts a run short."""
        with tracing.span("job", task="sync"):
            await asyncio.to_thread(self._bases.whole(org).syncs.run_due, self.stopping.is_set)

    async def rule(self, org: str) -> None:
        """Have pending submissions ruled on until none is due; several workers share those of an organisation.

        Each claims a few at a time. Those of a worker that dies are due again later.
        """
        if org in self._ruling:
            return  # This worker is at it; another one may take a job of the same organisation.
        self._ruling.add(org)
        n_ruled = 0
        try:
            with tracing.span("job", task="rule") as span:
                while ruled := await asyncio.to_thread(self._rule_pending, org):
                    n_ruled += ruled
                span.set(ruled=n_ruled)
        finally:
            self._ruling.discard(org)
        if n_ruled and self._settings.log_enabled:
            _log.info("gate.ruled submissions=%d", n_ruled)

    async def recheck(self, org: str) -> None:
        """Ask an auto-rater whether its clears still stand; retracted ones wait for a person."""
        done = await asyncio.to_thread(self._rechecking.run, self._bases.whole(org), self.stopping.is_set)
        if done is not None and self._settings.log_enabled and (done.n_stand or done.retracted):
            _log.info("gate.rechecked stand=%d retracted=%d", done.n_stand, len(done.retracted))

    async def opine(self, org: str) -> None:
        """Ask for some second opinions on open pairs, and let those settle that may; the next sweep goes on."""
        with tracing.span("job", task="opine"):
            await asyncio.to_thread(self._opined, org)

    async def compare(self, org: str) -> None:
        """List near texts and compare some pairs of the pair table; the next sweep goes on."""
        with tracing.span("job", task="compare"):
            done = await asyncio.to_thread(self._bases.whole(org).compare_pairs, MOST_PAIRS)
        if (done.n_listed or done.n_compared) and self._settings.log_enabled:
            _log.info("pairs.compared texts=%d pairs=%d", done.n_listed, done.n_compared)

    async def _unfinished_jobs(self) -> list[Job]:
        manager = self.app.job_manager
        return [
            job
            for status in (Status.TODO, Status.DOING)
            for job in await manager.list_jobs_async(task="deliver", status=status.value)
        ]

    async def _enqueue(self, task: Any, lock: str, is_alone: bool = True, **arguments: str) -> None:
        """Enqueue a job unless one of its name waits already; `is_alone`: none of its name runs beside it."""
        try:
            await task.configure(lock=lock if is_alone else None, queueing_lock=lock).defer_async(**arguments)
        except AlreadyEnqueued:
            return

    def _rule_pending(self, org: str) -> int:
        claims = CLAIMED_EACH * self._settings.gate_rulings_at_once
        return len(self._bases.whole(org).rule_pending(claims))

    def _orgs_with_pairs(self) -> list[str]:
        return orgs_with_pairs_waiting(self._url, rule_of(self._bases.home.base, merges=False))

    def _gathered(self, org: str) -> tuple[Sequence[Notice], Sequence[Notice]]:
        base = self._bases.of(org)
        notifications.create_review_reminders(base)
        created = [*notifications.create_notices(base), *notifications.create_verdict_notices(base)]
        return created, notifications.pending(base)

    def _landlord_notices(self, org: str) -> int:
        return notifications.create_landlord_notices(self._bases.of(org))

    def _opined(self, org: str) -> None:
        base = self._bases.whole(org)
        rev, now = base.store.rev(), base.base.clock.now()
        if (rest := self._rests.get(org)) is not None and rest.holds(rev, now):
            return
        report = base.opine(most=MOST_OPINIONS)
        if report.stopped is not None:
            self._rests[org] = _Rest(None, now + AWAY)
        elif not report.wrote:
            self._rests[org] = _Rest(rev, report.again_at)
        else:
            self._rests.pop(org, None)

    def _delivered(self, org: str, notice: str) -> notifications.Delivery:
        base = self._bases.of(org)
        try:
            link = partial(self._follow_up.link, org) if self._follow_up is not None else None
            done = notifications.deliver(base, self._senders, notice, link)
        except DeliveryError:
            self._followed(base, org, notice, is_reached=False)
            raise
        if done is not notifications.Delivery.NOTHING_LEFT:
            self._followed(base, org, notice, is_reached=True)
        return done

    def _followed(self, context: Context, org: str, notice: str, is_reached: bool) -> None:
        """Tell the resident what became of a notice about them; a failure of that fails no delivery."""
        about = notifications.landlord_notice(context, notice) if self._follow_up is not None else None
        if self._follow_up is None or about is None:
            return
        try:
            self._follow_up(org, about, is_reached)
        except Exception as failed:  # noqa: BLE001  the notice was delivered, and must not be sent again for this
            _log.error("notify.follow_up_failed notice=%s at=%s", notice, where(failed))


class BackOff(BaseRetryStrategy):
    """Doubles the pause after every failure; stops when the notice has failed often enough.

    What fails otherwise, such as a database that restarts, is tried again after the first wait: the
    notice's own count is what ends it.
    """

    def __init__(self, wait_s: float, longest_s: float, tries: int) -> None:
        self._wait_s = wait_s
        self._longest_s = longest_s
        self._tries = tries

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when a failed delivery is retried, or None."""
        del job
        if not isinstance(exception, DeliveryError | StoreBusyError | StoreUnavailableError):
            return None
        n_tries = exception.n_tries if isinstance(exception, DeliveryError) else 0
        if n_tries >= self._tries:
            return None
        wait = min(self._wait_s * 2 ** max(0, n_tries - 1), self._longest_s)
        return RetryDecision(retry_in={"milliseconds": round(1_000 * wait)})


async def _serve(jobs: Jobs, revive: Callable[[], None] | None) -> None:
    """Work until a signal; wait for a lost database, and restart it if it is our own."""
    stopping = asyncio.Event()
    working: asyncio.Task[None] | None = None

    def stop() -> None:
        stopping.set()
        jobs.stopping.set()
        if working is not None:
            working.cancel()  # The worker finishes what it has begun.

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    while not stopping.is_set():
        working = asyncio.create_task(jobs.run())
        try:
            await working
        except asyncio.CancelledError:
            if not stopping.is_set():
                raise
        except (*DATABASE_ERRORS, StoreUnavailableError) as failed:
            _log.warning("worker.waits reason=%s", type(failed).__name__)
        if not stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), AGAIN_S)
        if not stopping.is_set() and revive is not None:
            with contextlib.suppress(StoreUnavailableError):  # Then the next round fails, and comes here again.
                await asyncio.to_thread(revive)


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    await connection.execute(f"set search_path = {SEARCH_PATH}")
    if not connection.autocommit:
        await connection.commit()


def orgs_to_tell(url: str) -> list[str]:
    """Return the organisations that have channels.

    Raises:
        StoreUnavailableError: the database cannot be reached.
    """
    return _orgs(url, "orgs_with_channels")


def orgs_with_pending(url: str) -> list[str]:
    """Return the organisations that have submissions waiting for a ruling.

    Raises:
        StoreUnavailableError: the database cannot be reached.
    """
    return _orgs(url, "orgs_with_pending")


def orgs_with_syncs_due(url: str, at: datetime) -> list[str]:
    """Return the organisations that have a source to be synced at a moment.

    Raises:
        StoreUnavailableError: the database cannot be reached.
    """
    return _orgs(url, "orgs_with_syncs_due", at)


def orgs_in_doubt(url: str) -> list[str]:
    """Return the organisations in which a pair waits for a person.

    Raises:
        StoreUnavailableError: the database cannot be reached.
    """
    return _orgs(url, "orgs_in_doubt")


def orgs_with_pairs_waiting(url: str, rule: PairRule) -> list[str]:
    """Return the organisations in whose pair table a text or a pair waits, by a rule.

    Raises:
        StoreUnavailableError: the database cannot be reached.
    """
    return _orgs(url, "orgs_with_pairs_waiting", rule.similarity_from, rule.guards, rule.judge)


def _orgs(url: str, function: str, *arguments: object) -> list[str]:
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            connection.execute(f"set local role {APP_ROLE}")
            places = ", ".join(["%s"] * len(arguments))
            called = connection.execute(f"select * from {STORE_SCHEMA}.{function}({places})", arguments)
            rows: Iterable[tuple[str]] = called.fetchall()
            return [org for (org,) in rows]
    except (psycopg.OperationalError, psycopg.InterfaceError) as failed:
        raise StoreUnavailableError(f"the database is not available ({type(failed).__name__})") from failed
