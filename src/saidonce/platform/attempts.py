"""Wrong attempts to prove who one is, counted by address, so that guessing gets slow; in bounded memory."""

from __future__ import annotations

import hashlib
import ipaddress
import threading
from collections import OrderedDict
from dataclasses import dataclass

FREE = 5
"""Wrong attempts without a wait; each further one doubles the wait."""

LONGEST_WAIT_S = 300.0
FORGOTTEN_S = 900.0
"""After so long without a wrong attempt an address begins anew."""

MOST_ADDRESSES = 10_000
MOST_GOOD = 10_000


@dataclass(slots=True)
class _Wrong:
    n: int = 0
    last_s: float = 0.0


class Attempts:
    """Counts wrong attempts by address: of IPv6 by network of 64 bits, which one caller commonly has whole.

    Who has proved a key from an address before is not slowed there, whatever others behind that address do.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, _Wrong] = OrderedDict()
        self._good: OrderedDict[bytes, None] = OrderedDict()

    def wait_s(self, address: str, presented: str, now_s: float) -> float:
        """Return how long an address has to wait before this is looked at; 0 lets it through.

        Args:
            address: of the network.
            presented: what is to prove who it is.
            now_s: of a clock that never goes back.
        """
        network = network_of(address)
        with self._lock:
            wrong = self._wrong.get(network)
            if wrong is None or wrong.n < FREE or now_s - wrong.last_s > FORGOTTEN_S:
                return 0.0
            if _mark(network, presented) in self._good:
                return 0.0
            wait = min(LONGEST_WAIT_S, 2.0 ** min(wrong.n - FREE, 20))
            return max(0.0, wrong.last_s + wait - now_s)

    def failed(self, address: str, now_s: float) -> int:
        """Count a wrong attempt, and return how many there have been."""
        network = network_of(address)
        with self._lock:
            wrong = self._wrong.pop(network, None)
            if wrong is None or now_s - wrong.last_s > FORGOTTEN_S:
                wrong = _Wrong()
            wrong.n, wrong.last_s = wrong.n + 1, now_s
            self._wrong[network] = wrong
            while len(self._wrong) > MOST_ADDRESSES:
                self._wrong.popitem(last=False)
            return wrong.n

    def worked(self, address: str, presented: str) -> None:
        """Remember that this was right."""
        mark = _mark(network_of(address), presented)
        with self._lock:
            self._good[mark] = None
            self._good.move_to_end(mark)
            while len(self._good) > MOST_GOOD:
                self._good.popitem(last=False)


def network_of(address: str) -> str:
    """Return the network of a client: an IPv4 address, or the first 64 bits of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def is_worth_noting(n: int) -> bool:
    """Return whether the n-th attempt of one kind is written down: the 1st, 2nd, 4th, 8th and so on."""
    return n.bit_count() == 1


def _mark(network: str, presented: str) -> bytes:
    return hashlib.sha256(f"{network}\0{presented}".encode()).digest()
