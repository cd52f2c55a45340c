"""Encrypts and decrypts streams with age (https://age-encryption.org); needs the extra `age`.

What is written here `age -d` reads, and the other way round.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from saidonce.errors import StoreCorruptError, UsageError
from saidonce.foundation import extras

MAGIC = b"age-encryption.org/"
"""First bytes of an encrypted file."""


def _pyrage() -> Any:
    try:
        import pyrage  # noqa: PLC0415  an extra, imported only when something is encrypted
    except ImportError as missing:
        raise extras.error("age", "encryption", missing.name or "") from missing
    return pyrage


def new_identity() -> tuple[str, str]:
    """Make a pair of keys: the public one, which encrypts, and the secret one, which decrypts.

    Raises:
        UsageError: the extra is not installed.
    """
    identity = _pyrage().x25519.Identity.generate()
    return str(identity.to_public()), str(identity)


def recipients_of(written: Sequence[str]) -> list[Any]:
    """Read public keys: age1... or ssh-ed25519 ... or ssh-rsa ....

    Raises:
        UsageError: one is none, or the extra is not installed.
    """
    age = _pyrage()
    recipients = []
    for each in written:
        kind = age.ssh.Recipient if each.startswith("ssh-") else age.x25519.Recipient
        try:
            recipients.append(kind.from_str(each.strip()))
        except (age.RecipientError, ValueError) as bad:
            hint = "; this is a secret key" if each.strip().upper().startswith("AGE-SECRET-KEY-") else ""
            raise UsageError(f"a recipient must be a public key, such as age1... or ssh-ed25519 ...{hint}") from bad
    return recipients


def identities_of(file: Path) -> list[Any]:
    """Read the secret keys of a file, as `age-keygen` or `ssh-keygen` writes them.

    Raises:
        UsageError: the file cannot be read or holds none, or the extra is not installed.
    """
    age = _pyrage()
    try:
        content = file.expanduser().read_bytes()
    except OSError as failed:
        raise UsageError(f"{str(file)!r} cannot be read: {failed.strerror}") from failed
    try:
        if b"PRIVATE KEY-----" in content:
            return [age.ssh.Identity.from_buffer(content)]
        lines = [line.strip() for line in content.decode().splitlines()]
        identities = [age.x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except (age.IdentityError, ValueError) as bad:
        raise UsageError(f"{str(file)!r} contains no secret key (AGE-SECRET-KEY-1..., or an SSH key)") from bad
    if not identities:
        raise UsageError(f"{str(file)!r} contains no secret key (AGE-SECRET-KEY-1..., or an SSH key)")
    return identities


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a file to read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = chunk
        n = min(len(buffer), len(self._left))
        buffer[:n], self._left = self._left[:n], self._left[n:]
        return n


class _Watched:
    """A file in the library's hands; notes what fails in it, which would lose its kind on the way back."""

    def __init__(self, file: BinaryIO, failed: list[BaseException]) -> None:
        self._file = file
        self._failed = failed

    def read(self, size: int = -1) -> bytes:
        with self._noting():
            return self._file.read(size)

    def write(self, data: bytes) -> int:
        with self._noting():
            return self._file.write(data)

    def flush(self) -> None:
        with self._noting():
            self._file.flush()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as broken:
            self._failed.append(broken)
            raise


def encrypt(chunks: Iterable[bytes], into: BinaryIO, recipients: Sequence[Any]) -> None:
    """Encrypt chunks as they come; memory does not grow with them.

    Raises:
        OSError: it cannot be written, as when the disk is full; what the chunks raise is raised as it is, too.
    """
    failed: list[BaseException] = []

    def watched() -> Iterator[bytes]:
        try:
            yield from chunks
        except BaseException as broken:  # whatever it is, to be raised again below: the library would change its kind
            failed.append(broken)
            raise

    try:
        read = io.BufferedReader(_Chunks(watched()), 65_536)
        _pyrage().encrypt_io(read, _Watched(into, failed), list(recipients))
    except Exception:  # the library wraps what a file raises in errors that share no base class
        if failed:
            raise failed[0] from None
        raise


@contextmanager
def decrypt_stream(file: BinaryIO, identities: Sequence[Any]) -> Iterator[BinaryIO]:
    """Yield what an encrypted file holds; memory does not grow with it, and nothing of it reaches the disk.

    Raises:
        UsageError: none of the keys fits.
        StoreCorruptError: the file is damaged or cut off.
        OSError: it cannot be read.
    """
    age = _pyrage()
    read_end, write_end = os.pipe()
    failed: list[BaseException] = []

    def work() -> None:
        with os.fdopen(write_end, "wb") as into:
            try:
                age.decrypt_io(_Watched(file, failed), into, list(identities))
                into.flush()
            except Exception as broken:  # noqa: BLE001  a thread loses what it raises: raised again by its reader
                failed.append(broken)
                with suppress(OSError):
                    into.flush()

    worker = threading.Thread(target=work, name="saidonce-age", daemon=True)
    worker.start()
    opened = os.fdopen(read_end, "rb", 65_536)
    try:
        yield opened
    except BrokenPipeError:
        raise
    except Exception:  # whatever the reader made of a file that ended early: why it ended comes first
        opened.close()
        worker.join()
        _raise_first(age, failed)
        raise
    else:
        opened.close()
        worker.join()
        _raise_first(age, failed)
    finally:
        opened.close()
        worker.join()


def _raise_first(age: Any, failed: list[BaseException]) -> None:
    """Raise why a file could not be decrypted, unless it is only that nobody wanted the rest."""
    for each in failed:
        if isinstance(each, BrokenPipeError) or "Broken pipe" in str(each):
            continue
        if isinstance(each, age.DecryptError) and "No matching keys" in str(each):
            raise UsageError("the file is encrypted for another key; give the matching one with --identity") from each
        # The library says "decryption error" as an OSError, without a number; those of the system have one.
        if isinstance(each, age.DecryptError) or (isinstance(each, OSError) and each.errno is None):
            raise StoreCorruptError("the encrypted file is truncated or damaged; nothing was imported") from each
        raise each
