"""What a fetched pack of objects would unpack to, looked at before it is unpacked: a small one can come to any size."""

from __future__ import annotations

import zlib
from typing import IO

from dulwich.pack import OFS_DELTA, REF_DELTA

LARGEST_OBJECT = 1024**3
"""One file of a repository, unpacked; it is held in memory once while it is indexed."""

MOST_BYTES = 20 * 1024**3
"""All objects of one commit, unpacked."""

PART_BYTES = 65_536
HEADER_BYTES = 12
ID_BYTES = 20


def check_sizes(pack: IO[bytes]) -> None:
    """Read a pack from its beginning to the end of its last object, and hold nothing of it.

    Raises:
        ValueError: an object, or all of them, would be larger than those of a repository; or it is damaged.
        zlib.error: it is damaged.
    """
    packed = _Packed(pack)
    n_left = MOST_BYTES
    for _ in range(int.from_bytes(packed.read(HEADER_BYTES)[8:], "big")):
        n_left -= packed.size_of_next()
        if n_left < 0:
            raise ValueError("the commit is larger than those that are read, unpacked")


class _Packed:
    """The bytes of a pack, from its beginning on."""

    def __init__(self, pack: IO[bytes]) -> None:
        self._pack = pack
        self._ahead = b""

    def read(self, n: int) -> bytes:
        """Take so many bytes.

        Raises:
            ValueError: there are fewer.
        """
        while len(self._ahead) < n:
            self._ahead += self._more()
        part, self._ahead = self._ahead[:n], self._ahead[n:]
        return part

    def size_of_next(self) -> int:
        """Pass over an object; return its size, or of a difference to another one also that of what follows from both.

        Raises:
            ValueError, zlib.error: it is larger than it may be, or damaged.
        """
        kind, size = self._header()
        if kind == OFS_DELTA:
            while self.read(1)[0] & 0x80:
                pass
        elif kind == REF_DELTA:
            self.read(ID_BYTES)
        beginning = self._pass_over(_checked(size))
        return size + (_checked(_size_after(beginning)) if kind in (OFS_DELTA, REF_DELTA) else 0)

    def _header(self) -> tuple[int, int]:
        byte = self.read(1)[0]
        kind, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 0x80:
            byte = self.read(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
            if shift > 64:
                raise ValueError("an object has no size")
        return kind, size

    def _pass_over(self, size: int) -> bytes:
        """Pass over what is packed; return its beginning."""
        unpacking = zlib.decompressobj()
        n_bytes, beginning = 0, b""
        while not unpacking.eof:
            packed = unpacking.unconsumed_tail or self._ahead or self._more()
            self._ahead = b""
            part = unpacking.decompress(packed, PART_BYTES)
            n_bytes += len(part)
            if n_bytes > size:
                raise ValueError("an object is larger than it says")
            beginning = beginning or part
        self._ahead = unpacking.unused_data
        return beginning

    def _more(self) -> bytes:
        if not (part := self._pack.read(PART_BYTES)):
            raise ValueError("the pack ends too early")
        return part


def _checked(size: int) -> int:
    if size > LARGEST_OBJECT:
        raise ValueError("an object is larger than those that are read, unpacked")
    return size


def _size_after(difference: bytes) -> int:
    """Return the second of the two sizes with which a difference begins."""
    sizes, shift = [0], 0
    for byte in difference:
        sizes[-1] |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            if len(sizes) == 2:
                return sizes[1]
            sizes.append(0)
            shift = 0
        elif shift > 64:
            break
    raise ValueError("a difference has no sizes")
