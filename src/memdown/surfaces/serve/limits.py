"""How much one principal may ask of a server: so many requests in a minute, and a push of so many bytes.

Each process counts for itself, so that no request waits for the others to be counted.
"""

import time
from collections import OrderedDict
from hashlib import sha256

from msgspec import Struct

_MOST = 10_000
"""Principals and tokens that are remembered."""


class ServeLimits(Struct, frozen=True):
    """How many, and how large."""

    connections: int = 16
    """To the database."""
    requests: int = 600
    """Of one principal, in a minute."""
    push: int = 64 << 20
    """Bytes of one push."""
    body: int = 1 << 20
    """Bytes of any other request."""
    streams: int = 32
    """Requests of one principal that listen for changes."""
    waiting: int = 400
    """Connections without a request."""
    header_seconds: float = 10
    body_seconds: float = 120
    grace_seconds: int = 25
    """How long what is under way may take when the server ends."""
    drain_seconds: float = 0
    """How long a server that ends still takes requests, while it says that it is not ready."""


class RequestLimit:
    """So many requests in a minute, by principal; what is not used is kept for a minute."""

    def __init__(self, requests: int) -> None:
        self._most = requests
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By principal, how many are left, and when that was."""

    def wait(self, principal: str) -> int:
        """Take one request; the seconds after which there is one again, else 0."""
        now = time.monotonic()
        left, then = self._buckets.pop(principal, (float(self._most), now))
        left = min(self._most, left + (now - then) * self._most / 60)
        taken = left >= 1
        self._buckets[principal] = (left - 1 if taken else left, now)
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        return 0 if taken else max(1, round((1 - left) * 60 / self._most + 0.5))


class KnownTokens:
    """Whose a token is, so that limits hold before the database is asked. It lets nobody in."""

    def __init__(self) -> None:
        self._principals: OrderedDict[bytes, str] = OrderedDict()

    def get(self, token: str) -> str | None:
        return self._principals.get(_key(token))

    def note(self, token: str, principal: str) -> None:
        self._principals[_key(token)] = principal
        if len(self._principals) > _MOST:
            self._principals.popitem(last=False)


def _key(token: str) -> bytes:
    return sha256(token.encode()).digest()
