"""Calls of the Linux kernel that Python does not offer, by number and `ctypes`."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
_CLEAR_AMBIENT = 4
_LAST_CAPABILITY = 63

CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION = 0x20080522

CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""Version of Landlock, and the number of rights on files that it knows from there on."""

_BIND_AND_CONNECT = 0b11
_SOCKETS_AND_SIGNALS = 0b11

_FILTER_MODE = 1
_ALL_THREADS = 1


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(outcome: int) -> int:
    """Return an outcome that is not negative.

    Raises:
        OSError: it is one.
    """
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return outcome


def call(number: int, *values: object) -> int:
    """Make a system call.

    Raises:
        OSError: the kernel refuses it, or has none of this number.
    """
    words = [ctypes.c_long(value) if isinstance(value, int) else value for value in values]
    return _check(_library().syscall(ctypes.c_long(number), *words))


def prctl(option: int, first: int = 0, second: int = 0) -> None:
    """Change how the kernel treats this process.

    Raises:
        OSError: it refuses.
    """
    words = [ctypes.c_ulong(word) for word in (first, second, 0, 0)]
    _check(_library().prctl(ctypes.c_int(option), *words))


def unshare(flags: int) -> None:
    """Leave namespaces for new ones.

    Raises:
        OSError: the system does not allow it.
    """
    _check(_library().unshare(ctypes.c_int(flags)))


def drop_capabilities(keep: int = 0) -> None:
    """Give up all rights of an administrator but those of a mask, for good.

    Raises:
        OSError: the kernel refuses.
    """
    prctl(PR_CAP_AMBIENT, _CLEAR_AMBIENT)
    for number in range(_LAST_CAPABILITY + 1):
        if keep >> number & 1:
            continue
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:
            break  # the kernel knows no more of them, or we may not; new privileges are barred in another way too
    header = struct.pack("<Ii", _CAPABILITY_VERSION, 0)
    low, high = keep & 0xFFFFFFFF, keep >> 32
    _check(_library().capset(header, struct.pack("<6I", low, low, 0, high, high, 0)))


def landlock_version() -> int:
    """Return the version of Landlock in this kernel.

    Raises:
        OSError: it has none, or it was switched off.
    """
    return call(_CREATE_RULESET, None, 0, _GET_VERSION)


def landlock(readable: Iterable[Path], version: int) -> None:
    """Deny this process all files but those that may be read, TCP, and what else a version of Landlock knows.

    Args:
        readable: files, and folders with all below them; those that do not exist are passed over.
        version: what `landlock_version` gave.

    Raises:
        OSError: the kernel refuses.
    """
    n_rights = max(rights for since, rights in _FILE_RIGHTS if since <= version)
    rules = struct.pack("=Q", (1 << n_rights) - 1)
    if version >= 4:
        rules += struct.pack("=Q", _BIND_AND_CONNECT)
    if version >= 6:
        rules += struct.pack("=Q", _SOCKETS_AND_SIGNALS)
    ruleset = call(_CREATE_RULESET, rules, len(rules), 0)
    try:
        for path in readable:
            _allow_reading(ruleset, path)
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow_reading(ruleset: int, path: Path) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
        call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def filter_calls(number: int, program: bytes) -> None:
    """Let the kernel ask a program about each system call of all threads of this process.

    Args:
        number: that of the system call `seccomp` on this machine.
        program: instructions of the packet filter, 8 bytes each.

    Raises:
        OSError: the kernel has no filters, or refuses this one.
    """
    held = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    failed = call(number, _FILTER_MODE, _ALL_THREADS, pointer)
    if failed:
        raise OSError(0, f"thread {failed} cannot be filtered")


def n_threads() -> int:
    """Return how many threads this process has; 1 where the system does not say."""
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    except OSError:
        return 1


def is_linux() -> bool:
    """Return whether this is Linux."""
    return sys.platform == "linux"
