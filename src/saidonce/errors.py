"""Every error that saidonce raises, as one tree; each carries its values.

SaidonceError
|-- SettingsError (ValueError)        a setting is malformed; names key, value and what is allowed
|   `-- UnknownSettingError           no setting has this name; its value is not kept
|-- PluginError (ImportError)         a plug-in cannot be loaded or used; names its kind, its name and its package
|-- UsageError (ValueError)           a request is invalid; the message says what to do instead
|   |-- KeyTakenError                 an idempotency key was used for another request
|   `-- MissingExtraError             an optional extra is not installed; names it and the command that installs it
|-- NotCreatedError                   the gate blocked what a decorated function would have created
|-- SourceRefusedError (ValueError)   a source cannot be read; names the source, the reason and the detail
|-- NotFoundError (LookupError)       an id or a name that nothing has
|   `-- NoBaseError                   there is no knowledge base at a place; names the place
|-- UpstreamError                     a source that a collection is synced with cannot be listed; nothing changed
|-- AccessError                       permission denied; names what is missing, and whether the caller is known
|-- SlowedDownError                   too many failed sign-in attempts from an address; names the wait
|-- DeliveryError                     a notification was not delivered; names the channel and the reason
|-- MediaError                        a resident's file was rejected; names the reason
|-- EmbeddingError
|   |-- ModelUnavailableError         the model's files are absent, altered, or its endpoint failed
|   `-- ModelMismatchError            vectors of two models would have been mixed
|-- EngineError                       the workers of a deduplication keep failing; names the engine
|-- ShardError                        shards of a distributed search index were lost; names what happened
|-- ArtefactError (ValueError)        a trained judge is absent, altered, or made for another model
|-- ReplyError (ValueError)           a model's reply breaks its contract (never replaced by a default)
`-- StoreError
    |-- StoreUnavailableError         the database cannot be reached or started
    |   `-- DiskFullError             there is no space left on the disk
    |-- StoreBusyError                an organisation's write lock was not acquired in time
    |-- StaleWriteError               another writer was faster
    |-- BackupError                   a backup is damaged or incomplete; names the backup
    `-- StoreCorruptError             what is stored contradicts itself
"""

from __future__ import annotations

import errno
import re
import traceback
from enum import StrEnum

_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_full(failed: BaseException) -> bool:
    """Return whether an error says that there is no space left on a disk."""
    return isinstance(failed, OSError) and failed.errno in _FULL


NOT_SHOWN = "(not shown)"

_SECRET = re.compile(
    r"://[^\s/]*@|\bpass\w{0,40}=|\b(?:sk|pk|rk|so1|xox[a-z]|gh[a-z]|github_pat|glpat|hf)[-_][\w-]{8}|\bAKIA\w{12}|\beyJ\w{10}"
    r"|\bBearer\b|(?=[\w+/=-]{0,500}\d)(?=[\w+/=-]{0,500}[A-Za-z])[\w+/=-]{32}",
    re.IGNORECASE,
)


def looks_secret(value: object) -> bool:
    """Return whether a value looks like a key, a token, or an address with a password in it."""
    return isinstance(value, str | list | tuple | dict) and _SECRET.search(str(value)) is not None


def where(failed: BaseException) -> str:
    """Return an error's type and location for logs; its message may quote a resident."""
    frames = traceback.extract_tb(failed.__traceback__)
    places = [f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in frames[-1:]]
    return "@".join([type(failed).__name__, *places])


class SaidonceError(Exception):
    """Base of all errors of saidonce."""


class SettingsError(SaidonceError, ValueError):
    """A setting is malformed; a value that looks like a secret, or like a URL with one, is neither kept nor shown."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        self.key = key
        self.value = value = NOT_SHOWN if looks_secret(value) else value
        self.allowed = allowed
        super().__init__(f"setting {key} is {value!r}; allowed: {allowed}")


class UnknownSettingError(SettingsError):
    """No setting has this name.

    Attributes:
        nearest: names that it may stand for.
    """

    def __init__(self, key: str, nearest: tuple[str, ...], hint: str) -> None:
        self.key = key
        self.value = NOT_SHOWN
        self.allowed = " or ".join(nearest)
        self.nearest = nearest
        mean = f"; did you mean {self.allowed}?" if nearest else ""
        super(ValueError, self).__init__(f"no setting is called {key[:80]!r}{mean}{hint}")


class PluginError(SaidonceError, ImportError):
    """A plug-in of a third party cannot be loaded or used.

    Attributes:
        group: its kind, as the group of its entry point.
        plugin: its name.
        package: what it was installed with.
    """

    def __init__(self, group: str, plugin: str, package: str, reason: str) -> None:
        self.group = group
        self.plugin = plugin
        self.package = package
        self.reason = reason
        super().__init__(f"the plug-in {plugin!r} of {group}, installed with {package}, {reason}")


class UsageError(SaidonceError, ValueError):
    """A request is invalid; the message says what to do instead."""


class KeyTakenError(UsageError):
    """An idempotency key was used for another request."""


class MissingExtraError(UsageError, ImportError):
    """An optional extra is not installed.

    Attributes:
        extra: its name, as in `saidonce[NAME]`.
        missing: the module that cannot be imported.
        command: the command that installs it.
    """

    def __init__(self, extra: str, purpose: str, missing: str, command: str) -> None:
        self.extra = extra
        self.purpose = purpose
        self.missing = missing
        self.command = command
        super().__init__(f"{purpose} needs an extra: {command} ({missing} is missing)")

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str, str]]:
        return type(self), (self.extra, self.purpose, self.missing, self.command)


class NotCreatedError(SaidonceError):
    """The gate blocked what a function decorated by `saidonce.once` would have created.

    Attributes:
        verdict: its id.
        state: `repeat`, `held` or `pending`.
        of: id of what it repeats or is nearest to; empty if there is none.
        similarity: similarity to `of`.
        reason: reason of the verdict, such as `away`: no ruling, as the judge was unavailable.
    """

    def __init__(self, verdict: str, state: str, of: str, similarity: float, reason: str = "") -> None:
        self.verdict = verdict
        self.state = state
        self.reason = reason
        self.of = of
        self.similarity = similarity
        what = f"{state}, {reason}" if reason else state
        super().__init__(
            f"not created: {what} (verdict {verdict}, similarity {similarity:.3f}); "
            f"'saidonce gate verdict {verdict}' shows why, and 'saidonce gate override' lets it through"
        )


class Refusal(StrEnum):
    """Why a source was refused."""

    EMPTY = "empty"
    UNSUPPORTED = "unsupported"
    CORRUPT = "corrupt"
    LOCKED = "locked"
    TOO_LARGE = "too_large"
    HOSTILE = "hostile"
    TIMEOUT = "timeout"
    UNREADABLE = "unreadable"
    NO_TEXT = "no_text"
    FAILED = "failed"


class SourceRefusedError(SaidonceError, ValueError):
    """A source cannot be read; the rest of its batch goes on."""

    def __init__(self, source: str, reason: Refusal, detail: str) -> None:
        self.source = source
        self.reason = reason
        self.detail = detail
        super().__init__(f"{source!r} refused ({reason}): {detail}")

    def __reduce__(self) -> tuple[type[SourceRefusedError], tuple[str, Refusal, str]]:
        return type(self), (self.source, self.reason, self.detail)


class NotFoundError(SaidonceError, LookupError):
    """Nothing has this id or name; the key is empty where the noun says it all."""

    def __init__(self, noun: str, key: str, hint: str = "") -> None:
        self.noun = noun
        self.key = key
        super().__init__(f"no {noun}" + (f" {key!r}" if key else "") + (f"; {hint}" if hint else ""))


class NoBaseError(NotFoundError):
    """There is no knowledge base at a place, and what was asked for creates none.

    Attributes:
        data_dir: the data folder; empty for the database at `database_url`.
    """

    def __init__(self, data_dir: str = "") -> None:
        self.data_dir = data_dir
        super().__init__("knowledge base", data_dir)
        elsewhere = "or name another data folder (--data-dir, SAIDONCE_DATA_DIR)" if data_dir else "or name another URL"
        self.args = (
            f"there is no knowledge base {f'in {data_dir!r}' if data_dir else 'at the address of database_url'}; "
            f"'saidonce ingest FOLDER' creates one, {elsewhere}",
        )

    def __reduce__(self) -> tuple[type[NoBaseError], tuple[str]]:
        return type(self), (self.data_dir,)


class UpstreamError(SaidonceError):
    """A source that a collection is synced with cannot be listed; nothing was changed."""

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(f"{address!r} cannot be synced: {reason}")


class AccessError(SaidonceError):
    """Permission was denied.

    Attributes:
        missing: what is needed, such as "scope review".
        is_known: whether the caller is authenticated; if not, they have to sign in first.
    """

    def __init__(self, missing: str, reason: str, is_known: bool = False) -> None:
        self.missing = missing
        self.reason = reason
        self.is_known = is_known
        super().__init__(f"not allowed: {reason}; needed: {missing}")


class SlowedDownError(SaidonceError):
    """Too many failed authentication attempts came from an address.

    Attributes:
        wait_s: seconds until the next attempt is accepted.
    """

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"too many invalid keys from your address; wait {max(1, round(wait_s))} s, then try again")


class DeliveryError(SaidonceError):
    """A notification or a message was not delivered; the error contains no address and no secret.

    Attributes:
        n_tries: failures so far, including this one; 0 if they are not counted.
        wait_s: seconds that the receiver asks to wait before a retry; 0 if it does not say.
        is_final: a retry would fail in the same way.
    """

    def __init__(
        self, channel: str, reason: str, n_tries: int = 0, wait_s: float = 0.0, is_final: bool = False
    ) -> None:
        self.channel = channel
        self.reason = reason
        self.n_tries = n_tries
        self.wait_s = wait_s
        self.is_final = is_final
        super().__init__(f"channel {channel!r} did not accept the notification: {reason}")


class FileRefusal(StrEnum):
    """Why a resident's file was rejected."""

    TOO_LARGE = "too_large"
    WRONG_HASH = "wrong_hash"
    WRONG_TYPE = "wrong_type"
    BROKEN = "broken"
    GONE = "gone"
    UNREACHABLE = "unreachable"


class MediaError(SaidonceError):
    """A resident's file could not be fetched or is not accepted; the error contains no address and no secret.

    Attributes:
        is_final: a retry would fail in the same way.
    """

    def __init__(self, reason: FileRefusal, detail: str, is_final: bool) -> None:
        self.reason = reason
        self.detail = detail
        self.is_final = is_final
        super().__init__(f"the file was rejected ({reason}): {detail}")


class EmbeddingError(SaidonceError):
    """An embedding could not be computed."""


class ModelUnavailableError(EmbeddingError):
    """A model's files are absent or altered, or its endpoint failed."""

    def __init__(self, model: str, reason: str) -> None:
        self.model = model
        self.reason = reason
        super().__init__(f"model {model!r} is unavailable: {reason}")


class ModelMismatchError(EmbeddingError):
    """Vectors of two models would have been mixed."""

    def __init__(self, collection: str, stored: str, model: str) -> None:
        self.collection = collection
        self.stored = stored
        self.model = model
        super().__init__(
            f"collection {collection!r} holds vectors of model {stored!r}, not of {model!r}; "
            f"choose that model again, or run 'saidonce reembed {collection}'"
        )


class EngineError(SaidonceError):
    """The workers of an engine keep failing, or its cluster was lost; the same command resumes the work."""

    def __init__(self, engine: str, detail: str) -> None:
        super().__init__(f"the engine {engine!r} gave up: {detail}; run the same command again to resume")
        self.engine = engine
        self.detail = detail


class ShardError(SaidonceError):
    """Shards of a search index on a cluster were lost or cannot be created; the search was not answered."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"shards of the search index are unavailable (search_engine = 'ray'): {detail}; search again")
        self.detail = detail


class ArtefactError(SaidonceError, ValueError):
    """A trained judge cannot be used: its files are absent or altered, or were made for another model."""

    def __init__(self, artefact: str, reason: str) -> None:
        self.artefact = artefact
        self.reason = reason
        super().__init__(f"the judge {artefact!r} cannot be used: {reason}")


class ReplyError(SaidonceError, ValueError):
    """A model's reply breaks its contract."""

    def __init__(self, reason: str, reply: str = "") -> None:
        self.reason = reason
        self.reply = reply
        super().__init__(f"the model's reply was refused: {reason}")


class StoreError(SaidonceError):
    """The store failed."""


class StoreUnavailableError(StoreError):
    """The database cannot be reached or started; the message says what to try."""


class DiskFullError(StoreUnavailableError):
    """There is no space left; names what could not be written, where, and what to do.

    Attributes:
        what: what could not be written.
        volume: mount point of the full volume; empty if unknown.
        free: bytes that are free there, if known.
        needed: bytes that are needed, if known.
    """

    def __init__(self, what: str, volume: str = "", free: int | None = None, needed: int | None = None) -> None:
        self.what = what
        self.volume = volume
        self.free = free
        self.needed = needed
        facts = []
        if free is not None:
            facts.append(f"{_mib(free)} free")
        if needed is not None:
            facts.append(f"about {_mib(needed)} needed")
        where_it_is = f" (volume {volume}{': ' if facts else ''}{', '.join(facts)})" if volume else ""
        super().__init__(f"the disk is full: {what} cannot be written{where_it_is}; free some space, then retry")


def _mib(n_bytes: int) -> str:
    return f"{n_bytes / 1024**2:.1f} MiB"


class StoreBusyError(StoreError):
    """An organisation's write lock was not acquired in time; other organisations are not affected."""

    def __init__(self, org: str, waited_s: float) -> None:
        self.org = org
        self.waited_s = waited_s
        super().__init__(
            f"organisation {org!r} has been locked by another writer for more than {waited_s:g} s; try again"
        )


class StaleWriteError(StoreError):
    """Another writer was faster; the caller reads again and retries."""


class StoreCorruptError(StoreError):
    """What is stored contradicts itself."""


class BackupError(StoreError):
    """A backup could not be made, is damaged, or does not cover the requested time.

    Attributes:
        backup: the folder or the backup in it.
    """

    def __init__(self, backup: str, reason: str) -> None:
        self.backup = backup
        self.reason = reason
        super().__init__(f"backup {backup!r}: {reason}")
