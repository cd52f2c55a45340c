"""Changes real inputs into hostile ones: bytes, lines, tokens of their format, and the members of packed files."""

from __future__ import annotations

import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\xc3\x28", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xe2\x80\xae",
    b"-1", b"0", b"1e999", b"NaN", b"null", b"true", b"[", b"]", b"{", b"}", b'"', b"\\u0000", b"\\ud800", b"9" * 400,
    b"<", b">", b"&#x0;", b"<!--", b"<![CDATA[", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"</p>", b"<table>" * 9,
    b"endobj", b"/Length 9999999", b"/Prev 0", b"stream\n", b"startxref", b"\\bin99999 ", b"\\u-1", b"{\\rtf1",
    b"Content-Type: multipart/mixed; boundary=x\n\n--x", b"=?utf-8?b?////?=", b"Content-Transfer-Encoding: base64\n",
    b"# ", b"```", b"| a | b |\n|--|", b"> " * 40, b"[[[[" * 9, b",", b'""', b"\t", b"%00", b"%FF",
    b"../../etc/passwd", b"=1+1",
    b"duplicate", b"distinct", b"unsure", b"&&", b"+", b"=",
    b".if n \\{\n", b".\\}\n", b".TS\n", b"\\f[", b"\\*(Nx", b".nf\n", b"#+begin_src\n", b"#+end_src\n", b":END:\n",
    b"{|\n", b"|}\n", b"{{", b"}}", b"]]", b"<ref>", b"</ref>", b"@example\n", b"@end example\n", b"@code{",
    b"@end itemize\n", b"=over\n\n", b"=back\n\n", b"C<< ", b" >>", b"\\begin{", b"|===\n", b".. |", b"\n====\n",
)  # fmt: skip
MOST_CHANGES = 6
LONGEST = 2_000_000
_NUMBERS = (0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308)


@dataclass(frozen=True)
class Input:
    """One input: what it is called, such as a file's name, and its bytes."""

    name: str
    data: bytes


def mutated(seeds: Sequence[Input], rng: random.Random) -> Input:
    """Change one of the seeds, at one place or several; the same generator gives the same input."""
    seed = rng.choice(seeds)
    change = rng.choice(_WAYS[seed.data[:1] in b"{[" and bool(seed.data), seed.data[:2] == b"PK"])
    return Input(seed.name, change(seed.data, rng, seeds)[:LONGEST])


def _bytes(data: bytes, rng: random.Random, seeds: Sequence[Input]) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        at = rng.randrange(len(changed) + 1)
        to = min(len(changed), at + int(rng.expovariate(1 / 12)) + 1)
        match rng.randrange(8):
            case 0:
                changed[at:to] = bytes(b ^ (1 << rng.randrange(8)) for b in changed[at:to])
            case 1:
                changed[at:at] = rng.randbytes(rng.randint(1, 9))
            case 2:
                del changed[at:to]
            case 3:
                changed[at:at] = changed[at:to] * rng.randint(1, 40)
            case 4:
                changed[at:to] = rng.choice(TOKENS)
            case 5:
                changed[at:at] = rng.choice(TOKENS)
            case 6:
                other = rng.choice(seeds).data
                begin = rng.randrange(len(other) + 1)
                changed[at:to] = other[begin : begin + rng.randint(1, 400)]
            case _:
                del changed[at:]
    return bytes(changed)


def _lines(data: bytes, rng: random.Random, _: Sequence[Input]) -> bytes:
    """Shuffle, repeat and leave out lines."""
    lines = data.split(b"\n")
    for _n in range(rng.randint(1, MOST_CHANGES)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                lines[at], lines[other] = lines[other], lines[at]
            case 1:
                lines[at:at] = [lines[other]] * rng.randint(1, 30)
            case _:
                lines = lines[:at] + lines[at + 1 :] or [b""]
    return b"\n".join(lines)


def _json(data: bytes, rng: random.Random, seeds: Sequence[Input]) -> bytes:
    """Change values of a JSON text, which stays JSON."""
    try:
        whole = json.loads(data)
    except ValueError:
        return _bytes(data, rng, seeds)
    for _ in range(rng.randint(1, 3)):
        whole = _value(whole, rng, 0)
    return json.dumps(whole, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def _value(value: Any, rng: random.Random, depth: int) -> Any:
    """Change one value inside another."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if rng.random() < 0.1:
            return {**value, key + rng.choice(["", "_", "\ud800", "\x00"]): value[key]}
        return {**value, key: _value(value[key], rng, depth + 1)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        copies = [_value(value[at], rng, depth + 1)] * rng.choice([0, 1, 1, 2, 30 if depth < 3 else 1])
        return [*value[:at], *copies, *value[at + 1 :]]
    others: list[Any] = [
        None, True, "", "\x00", "\ud83d", "\u202e" * 9, "x" * 9_000, "٣" * 20, [], {}, [[[[[[[[[[]]]]]]]]]],
        str(value), [value], {"body": value}, rng.choice(_NUMBERS), rng.choice(_NUMBERS),
    ]  # fmt: skip
    return rng.choice(others)


def _packed(data: bytes, rng: random.Random, seeds: Sequence[Input]) -> bytes:
    """Change a member of a packed file, which stays packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = {info.filename: package.read(info) for info in package.infolist()}
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError):
        return _bytes(data, rng, seeds)
    for _ in range(rng.randint(1, 2)):
        name = rng.choice(sorted(members))
        whole = Input(name, members[name])
        members[name] = rng.choice((_bytes, _lines))(members[name], rng, [whole])
        if rng.random() < 0.1:
            members[rng.choice(sorted(members))] = members[name]
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in members.items():
            package.writestr(zipfile.ZipInfo(name), content)
    return written.getvalue()


_Way = Callable[[bytes, random.Random, Sequence[Input]], bytes]
_WAYS: dict[tuple[bool, bool], tuple[_Way, ...]] = {
    (True, False): (_json, _json, _json, _bytes),
    (False, True): (_packed, _packed, _packed, _bytes),
    (False, False): (_bytes, _bytes, _lines),
}
"""Ways to change an input, by whether it is JSON and whether it is packed."""
