"""Adapter: raises the fence around this process, one protection after another; none that fails stops the next."""

from __future__ import annotations

import os
import pwd
import resource
import stat
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from saidonce.foundation.confinement import kernel
from saidonce.foundation.confinement.calls import filter_program
from saidonce.foundation.confinement.protection import Protection

_SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/mime.types", "/usr/share/zoneinfo", "/usr/share/fonts", "/usr/share/mime", "/dev/null", "/dev/urandom",
)  # fmt: skip
"""What libraries read of a system at any time, none of it anybody's data."""

_SPARE_ACCOUNTS = range(65_500, 65_400, -1)
"""Numbers of accounts that no distribution gives to anybody; one that this system did give is passed over."""

_APART = kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
_BY_USER_NAMESPACE = "a network namespace of its own, by a user namespace"
_SPARE = "an account that nobody has,"
_MOST_THREADS = 64
_MOST_OF_SPARE = 256
"""All parsing processes of a machine share the spare account."""

_NOT_LINUX = "only Linux has it"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a process that handles hostile input.

    Attributes:
        memory_bytes: address space on top of what is in use.
        files: descriptors.
        readable: folders that may be read beside the program's own, such as that of a model.
    """

    memory_bytes: int
    files: int = 64
    readable: tuple[Path, ...] = ()


def confine(bounds: Bounds, environment: Iterable[str]) -> tuple[Protection, ...]:
    """Raise the fence around this process, for good; call it when all libraries are loaded.

    Args:
        bounds: limits of memory and files.
        environment: names that may stand in the environment; others are removed from it.

    Returns:
        Protections, in the order of `NAMES`.
    """
    readable = (*readable_paths(), *bounds.readable)
    network = _raised("network", _network)
    account = _raised("account", lambda: _account(readable))
    if not network.is_on:  # not before: in a user namespace root can no longer become anybody else
        network = _raised("network", _network_of_user)
    steps: tuple[tuple[str, Callable[[], str]], ...] = (
        ("capabilities", lambda: _capabilities(readable)),
        ("memory", lambda: _memory(bounds.memory_bytes)),
        ("processes", lambda: _processes(network, account)),
        ("written files", lambda: _limit(resource.RLIMIT_FSIZE, 0, "RLIMIT_FSIZE")),
        ("open files", lambda: _limit(resource.RLIMIT_NOFILE, bounds.files, "RLIMIT_NOFILE")),
        ("core dumps", _no_dumps),
        ("new privileges", _no_new_privileges),
        ("file system", lambda: _file_system(readable)),
        ("system calls", _system_calls),
    )
    cleared = _raised("environment", lambda: _environment(frozenset(environment)))
    return (cleared, network, account, *(_raised(name, step) for name, step in steps))


class _MissingError(Exception):
    """A protection cannot be had here; its text says why."""


def _raised(name: str, step: Callable[[], str]) -> Protection:
    try:
        return Protection(name, is_on=True, why=step())
    except _MissingError as missing:
        return Protection(name, is_on=False, why=str(missing)[:300])
    except (OSError, ValueError, AttributeError) as failed:
        reason = failed.strerror if isinstance(failed, OSError) and failed.strerror else str(failed)
        return Protection(name, is_on=False, why=f"the system refuses it: {reason}"[:300])


def _environment(allowed: frozenset[str]) -> str:
    for name in set(os.environ) - allowed:
        del os.environ[name]
    return "no more than " + ", ".join(sorted(set(os.environ) & allowed))


def _network() -> str:
    _linux_alone()
    kernel.unshare(_APART)
    return "a network namespace of its own, without a connection"


def _network_of_user() -> str:
    _linux_alone()
    try:
        kernel.unshare(kernel.CLONE_NEWUSER | _APART)
    except OSError as refused:
        raise _MissingError(f"the system allows no namespace to this account ({refused.strerror})") from refused
    return _BY_USER_NAMESPACE


def _account(readable: tuple[Path, ...]) -> str:
    if os.geteuid() != 0:
        return f"account {os.geteuid()}, not an administrator"
    spare = next((number for number in _SPARE_ACCOUNTS if not _has_name(number)), None)
    if spare is None:
        raise _MissingError("every spare account number has a name here")
    if hidden := _hidden(spare, spare, readable):
        raise _MissingError(f"it stays root: no other account may read {hidden}; run saidonce as a user of its own")
    os.setgroups([])
    os.setresgid(spare, spare, spare)
    os.setresuid(spare, spare, spare)
    return f"{_SPARE} {spare} instead of root"


def _has_name(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def _capabilities(readable: tuple[Path, ...]) -> str:
    _linux_alone()
    hidden = _hidden(os.geteuid(), os.getegid(), readable) if os.geteuid() == 0 else None
    kernel.drop_capabilities(1 << kernel.CAP_DAC_READ_SEARCH if hidden else 0)
    return f"none but to read {hidden}" if hidden else "none"


def _memory(n_bytes: int) -> str:
    if sys.platform == "darwin":
        raise _MissingError("macOS does not honour the limit of address space")
    try:
        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError) as unknown:
        raise _MissingError("the system does not say how much memory is in use") from unknown
    _limit(resource.RLIMIT_AS, used + n_bytes, "RLIMIT_AS")
    return f"RLIMIT_AS, {n_bytes // 1024**2} MiB on top of the libraries"


def _processes(network: Protection, account: Protection) -> str:
    """Limit processes and threads where they are counted apart from all others of the account.

    Libraries start threads, so that none at all is too few; and a limit that other programs of the account use up would
    let parsing fail.
    """
    if account.why.startswith(_SPARE):
        return _limit(resource.RLIMIT_NPROC, _MOST_OF_SPARE, "RLIMIT_NPROC")
    if network.is_on and network.why == _BY_USER_NAMESPACE:
        return _limit(resource.RLIMIT_NPROC, _MOST_THREADS, "RLIMIT_NPROC")
    who = "does not bind root" if os.geteuid() == 0 else "would count every program of this account"
    raise _MissingError(f"RLIMIT_NPROC {who}; the filter of system calls refuses processes")


def _limit(kind: int, to: int, name: str) -> str:
    """Lower a limit, its hard one too; one that is lower stays."""
    _, hard = resource.getrlimit(kind)
    most = to if hard == resource.RLIM_INFINITY else min(to, hard)
    resource.setrlimit(kind, (most, most))
    return f"{name} {most}" if most else name


def _no_dumps() -> str:
    _limit(resource.RLIMIT_CORE, 0, "RLIMIT_CORE")
    if not kernel.is_linux():
        return "RLIMIT_CORE"
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    return "RLIMIT_CORE, and no other process of the account may look into it"


def _no_new_privileges() -> str:
    _linux_alone()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return "no_new_privs"


def _file_system(readable: tuple[Path, ...]) -> str:
    _linux_alone()
    try:
        version = kernel.landlock_version()
    except OSError as absent:
        raise _MissingError(f"this kernel has no Landlock ({absent.strerror})") from absent
    kernel.landlock(readable, version)
    extra = kernel.n_threads() - 1
    if extra:
        raise _MissingError(f"Landlock {version} does not hold {extra} threads that a plug-in has started")
    return f"Landlock {version}: the program's own files may be read, no others, and none written"


def _system_calls() -> str:
    _linux_alone()
    program = filter_program(os.getpid())
    if program is None:
        raise _MissingError("there is no list of system calls for this kind of processor")
    kernel.filter_calls(*program)
    return "seccomp: no sockets, processes, signals to others, written files or system settings"


def _linux_alone() -> None:
    if not kernel.is_linux():
        raise _MissingError(_NOT_LINUX)


def readable_paths() -> tuple[Path, ...]:
    """Return what this program's own code may still load: libraries of Python, of the loaded modules, of the system.

    The folder from which saidonce was called is not among them, and so no data folder below it.
    """
    named = sysconfig.get_paths()
    libraries = {Path(named[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    libraries |= {Path(sys.base_prefix) / "lib", Path(sys.base_prefix) / "lib64"}
    covered = tuple(os.fspath(folder.resolve()) + os.sep for folder in libraries)
    own = {_package(name, file) for name, file in _module_files() if not os.path.realpath(file).startswith(covered)}
    mapped = {path.parent for path in _mapped_libraries()}
    paths = libraries | own | mapped | {Path(path) for path in _SYSTEM}
    return tuple(sorted(path for path in paths if path.exists()))


def _module_files() -> list[tuple[str, str]]:
    return [(name, file) for name, module in sys.modules.items() if (file := getattr(module, "__file__", None))]


def _package(name: str, file: str) -> Path:
    """Return the folder of the package that a module belongs to, or its own file if it belongs to none."""
    path = Path(file)
    depth = name.count(".") + (path.name.startswith("__init__."))
    return path.parents[depth - 1] if depth else path


def _mapped_libraries() -> set[Path]:
    try:
        lines = Path("/proc/self/maps").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return set()
    return {Path(line.split(maxsplit=5)[5]) for line in lines if "/" in line and ".so" in line}


def _hidden(uid: int, gid: int, paths: tuple[Path, ...]) -> Path | None:
    """Return the first of some paths that an account may not reach by the permissions of files alone."""
    return next((path for path in paths if not _may_reach(uid, gid, path)), None)


def _may_reach(uid: int, gid: int, path: Path) -> bool:
    target = path.resolve()
    if target.is_relative_to("/proc"):
        return True
    needed = stat.S_IXOTH | stat.S_IROTH if target.is_dir() else stat.S_IROTH
    for place, bits in ((target, needed), *((folder, stat.S_IXOTH) for folder in target.parents)):
        status = place.stat()
        shift = 6 if status.st_uid == uid else 3 if status.st_gid == gid else 0
        if status.st_mode & (bits << shift) != bits << shift:
            return False
    return True
