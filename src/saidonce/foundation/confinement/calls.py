"""Room: the filter of system calls, as a program that the kernel runs before each of them.

A parser computes and reads; it needs nothing that speaks to other processes, to the network or to the system. The
families below are refused; a call newer than this table is said not to exist, so that libraries fall back to an older
one. The rest is allowed: a list of all that a library may need would break with the next version of the C library.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
import sys
from dataclasses import dataclass

_REFUSED = """
    socket connect bind listen accept accept4 sendto sendmsg sendmmsg recvmsg recvmmsg
    fork vfork execve execveat ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
    tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_getfd pidfd_send_signal
    io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd keyctl add_key request_key
    mount umount2 pivot_root chroot unshare setns open_by_handle_at name_to_handle_at open_tree move_mount fsopen
    fsconfig fsmount fspick mount_setattr init_module finit_module delete_module kexec_load kexec_file_load reboot
    swapon swapoff acct quotactl quotactl_fd seccomp
    creat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat
    chmod fchmod fchmodat chown fchown lchown fchownat truncate ftruncate fallocate mknod mknodat
    utime utimes utimensat futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    memfd_create memfd_secret shmget shmat shmctl msgget msgsnd msgrcv msgctl semget semop semctl semtimedop
    mq_open mq_unlink setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
    personality setpriority sched_setscheduler sched_setparam sched_setattr ioprio_set settimeofday clock_settime
    clock_adjtime adjtimex sethostname setdomainname iopl ioperm syslog vhangup fanotify_init fanotify_mark
    migrate_pages move_pages lookup_dcookie modify_ldt uselib sysfs setsid setpgid
""".split()

_X86_64 = """
    socket 41 socketpair 53 connect 42 bind 49 listen 50 accept 43 accept4 288 sendto 44 sendmsg 46 sendmmsg 307
    recvmsg 47 recvmmsg 299 clone 56 fork 57 vfork 58 execve 59 execveat 322 ptrace 101
    process_vm_readv 310 process_vm_writev 311 kcmp 312 kill 62 tkill 200 tgkill 234 rt_sigqueueinfo 129
    rt_tgsigqueueinfo 297 bpf 321 perf_event_open 298 userfaultfd 323 keyctl 250 add_key 248 request_key 249
    mount 165 umount2 166 pivot_root 155 chroot 161 unshare 272 setns 308 open_by_handle_at 304 name_to_handle_at 303
    init_module 175 finit_module 313 delete_module 176 kexec_load 246 kexec_file_load 320 reboot 169 swapon 167
    swapoff 168 acct 163 quotactl 179 open 2 openat 257 creat 85 unlink 87 unlinkat 263 rename 82 renameat 264
    renameat2 316 mkdir 83 mkdirat 258 rmdir 84 link 86 linkat 265 symlink 88 symlinkat 266 chmod 90 fchmod 91
    fchmodat 268 chown 92 fchown 93 lchown 94 fchownat 260 truncate 76 ftruncate 77 fallocate 285 mknod 133
    mknodat 259 utime 132 utimes 235 utimensat 280 futimesat 261 setxattr 188 lsetxattr 189 fsetxattr 190
    removexattr 197 lremovexattr 198 fremovexattr 199 memfd_create 319 shmget 29 shmat 30 shmctl 31 msgget 68
    msgsnd 69 msgrcv 70 msgctl 71 semget 64 semop 65 semctl 66 semtimedop 220 mq_open 240 mq_unlink 241 ioctl 16
    fcntl 72 prctl 157 seccomp 317 setuid 105 setgid 106 setreuid 113 setregid 114 setresuid 117 setresgid 119
    setgroups 116 setfsuid 122 setfsgid 123 capset 126 personality 135 prlimit64 302 setpriority 141
    sched_setscheduler 144 sched_setparam 142 sched_setattr 314 ioprio_set 251 settimeofday 164 clock_settime 227
    clock_adjtime 305 adjtimex 159 sethostname 170 setdomainname 171 iopl 172 ioperm 173 syslog 103 vhangup 153
    fanotify_init 300 fanotify_mark 301 migrate_pages 256 move_pages 279 lookup_dcookie 212 modify_ldt 154
    uselib 134 sysfs 139 setsid 112 setpgid 109
"""

_AARCH64 = """
    socket 198 socketpair 199 connect 203 bind 200 listen 201 accept 202 accept4 242 sendto 206 sendmsg 211
    sendmmsg 269 recvmsg 212 recvmmsg 243 clone 220 execve 221 execveat 281 ptrace 117
    process_vm_readv 270 process_vm_writev 271 kcmp 272 kill 129 tkill 130 tgkill 131 rt_sigqueueinfo 138
    rt_tgsigqueueinfo 240 bpf 280 perf_event_open 241 userfaultfd 282 keyctl 219 add_key 217 request_key 218
    mount 40 umount2 39 pivot_root 41 chroot 51 unshare 97 setns 268 name_to_handle_at 264 open_by_handle_at 265
    init_module 105 finit_module 273 delete_module 106 kexec_load 104 kexec_file_load 294 reboot 142 swapon 224
    swapoff 225 acct 89 quotactl 60 openat 56 unlinkat 35 renameat 38 renameat2 276 mkdirat 34 linkat 37
    symlinkat 36 fchmod 52 fchmodat 53 fchown 55 fchownat 54 truncate 45 ftruncate 46 fallocate 47 mknodat 33
    utimensat 88 setxattr 5 lsetxattr 6 fsetxattr 7 removexattr 14 lremovexattr 15 fremovexattr 16
    memfd_create 279 shmget 194 shmat 196 shmctl 195 msgget 186 msgsnd 189 msgrcv 188 msgctl 187 semget 190
    semop 193 semctl 191 semtimedop 192 mq_open 180 mq_unlink 181 ioctl 29 fcntl 25 prctl 167 seccomp 277 setuid 146
    setgid 144 setreuid 145 setregid 143 setresuid 147 setresgid 149 setgroups 159 setfsuid 151 setfsgid 152
    capset 91 personality 92 prlimit64 261 setpriority 140 sched_setscheduler 119 sched_setparam 118
    sched_setattr 274 ioprio_set 30 settimeofday 170 clock_settime 112 clock_adjtime 266 adjtimex 171
    sethostname 161 setdomainname 162 syslog 116 vhangup 58 fanotify_init 262 fanotify_mark 263 migrate_pages 238
    move_pages 239 lookup_dcookie 18 setsid 157 setpgid 154
"""

_SINCE_2019 = """
    pidfd_send_signal 424 io_uring_setup 425 io_uring_enter 426 io_uring_register 427 open_tree 428 move_mount 429
    fsopen 430 fsconfig 431 fsmount 432 fspick 433 pidfd_open 434 pidfd_getfd 438 process_madvise 440
    mount_setattr 442 quotactl_fd 443 memfd_secret 447 process_mrelease 448
"""
"""The same numbers on every machine."""

_CLONE3, _OPENAT2, _FIRST_UNKNOWN = 435, 437, 450
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_UNIX = 1
"""A pair of sockets that are joined from the start reaches nobody else; libraries wake their threads with one."""

_THREAD = 0x00010000
_DUMPABLE = 4
_PUSH_BACK_KEYS, _LINUX_CONSOLE = 0x5412, 0x541C
_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX = 8, 10, 15

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT, _VALUES_AT = 0, 4, 16


@dataclass(frozen=True, slots=True)
class _Machine:
    """What a processor calls its system calls.

    Attributes:
        audit: its number in the kernel's audit.
    """

    audit: int
    numbers: dict[str, int]


def _table(text: str) -> dict[str, int]:
    words = (text + _SINCE_2019).split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}


def _machine() -> _Machine | None:
    if sys.byteorder != "little" or struct.calcsize("P") != 8:
        return None
    match platform.machine():
        case "x86_64" | "AMD64":
            return _Machine(0xC000003E, _table(_X86_64))
        case "aarch64" | "arm64":
            return _Machine(0xC00000B7, _table(_AARCH64))
    return None


def filter_program(pid: int) -> tuple[int, bytes] | None:
    """Return the number of the call `seccomp`, and the program; None for a machine without a table.

    Args:
        pid: the process that is filtered; it may send signals to itself alone.
    """
    machine = _machine()
    if machine is None:
        return None
    numbers = machine.numbers
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUALS, machine.audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        *_outcome(_AT_LEAST, _FIRST_UNKNOWN, errno.ENOSYS),
        *_outcome(_EQUALS, _CLONE3, errno.ENOSYS),
        *_outcome(_EQUALS, _OPENAT2, errno.ENOSYS),
    ]
    for name in _REFUSED:
        if name in numbers:
            steps += _outcome(_EQUALS, numbers[name], errno.EPERM)
    for name, value, tests in (
        ("open", 1, [(_HAS_BITS, _WRITES, True)]),
        ("openat", 2, [(_HAS_BITS, _WRITES, True)]),
        ("socketpair", 0, [(_EQUALS, _UNIX, False)]),
        ("clone", 0, [(_HAS_BITS, _THREAD, False)]),
        ("kill", 0, [(_EQUALS, pid, False)]),
        ("tgkill", 0, [(_EQUALS, pid, False)]),
        ("prlimit64", 0, [(_EQUALS, 0, False)]),
        ("prctl", 0, [(_EQUALS, _DUMPABLE, True)]),
        ("ioctl", 1, [(_EQUALS, _PUSH_BACK_KEYS, True), (_EQUALS, _LINUX_CONSOLE, True)]),
        ("fcntl", 1, [(_EQUALS, of, True) for of in (_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX)]),
    ):
        if name in numbers:
            steps += _by_value(numbers[name], value, tests)
    return numbers["seccomp"], b"".join([*steps, _step(_RETURN, _ALLOW)])


def _by_value(number: int, value: int, tests: list[tuple[int, int, bool]]) -> list[bytes]:
    """Refuse one call by the low half of one of its values: where a test is as told."""
    body = [_step(_LOAD, _VALUES_AT + 8 * value)]
    for code, operand, refused_if in tests:
        body += [_step(code, operand, *((0, 1) if refused_if else (1, 0))), _step(_RETURN, _REFUSE | errno.EPERM)]
    body.append(_step(_RETURN, _ALLOW))
    return [_step(_EQUALS, number, 0, len(body)), *body]


def _outcome(code: int, operand: int, number: int) -> list[bytes]:
    return [_step(code, operand, 0, 1), _step(_RETURN, _REFUSE | number)]


def _step(code: int, operand: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_so, if_not, operand)
