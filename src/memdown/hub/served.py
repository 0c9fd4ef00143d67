"""A hub behind a server: calls travel as JSON over HTTP, by what Python itself has.

What the server refuses is raised here as it was there. An answer that does not come says whether the call can have
been taken.
"""

import os
import ssl
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import IO, TypeVar
from urllib import error as url_errors
from urllib import request as url_requests
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from memdown import VERSION, errors
from memdown.errors import Invalid, MemdownError, Refused, Unreadable, fault_of, quote
from memdown.hub.calls import HubCall
from memdown.hub.connection import TOKEN, HubDown, HubUncertain

R = TypeVar("R")
PATH = "/api/v1/"
"""Where a server takes calls, each by its name."""
_SECONDS = 150
"""A little more than a statement may take in the database."""
_LONGEST = 4096


class HubRefusal(Struct, frozen=True):
    """Why a call was not done, as a server says it."""

    error: str
    """The name of the class of errors."""
    message: str


KINDS: dict[str, type[MemdownError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, MemdownError)
} | {kind.__name__: kind for kind in (HubDown, HubUncertain)}


class Served:
    """A server, asked with the token of the environment."""

    def __init__(self, address: str) -> None:
        self._url = checked(address).rstrip("/")
        self._token = os.environ.get(TOKEN, "")
        if not self._token:
            raise Invalid(f"The hub at {self._url} requires a token; set {TOKEN} to yours, which an admin issues.")
        if not self._token.isascii() or not self._token.isprintable():
            raise Invalid(f"{TOKEN} does not contain a token of a hub.")

    def __call__(self, call: HubCall[R]) -> R:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "User-Agent": f"memdown/{VERSION}",
        }
        url = f"{self._url}{PATH}{call.name}"
        sent = url_requests.Request(url, msgspec.json.encode(call), headers, method="POST")
        # A proxy in between would read what goes to this machine; over TLS it cannot.
        proxies = url_requests.ProxyHandler({} if self._url.lower().startswith("http:") else None)
        opener = url_requests.build_opener(_NoRedirect, _PlainHandler, _TlsHandler, proxies)
        try:
            with opener.open(sent, timeout=_SECONDS) as response:
                data = response.read()
        except url_errors.HTTPError as error:
            with error:
                raise self._refusal(error, call) from None
        except url_errors.URLError as error:  # it was not sent, or not all of it
            raise self._unreachable(error.reason) from None
        except (OSError, HTTPException) as error:
            raise self._unanswered(call, str(error) or type(error).__name__) from None
        try:
            found: R = msgspec.json.decode(data, type=call.answers())
        except (ValueError, RecursionError) as error:
            why = fault_of(error)
            raise Unreadable(f"{self._url} does not answer like a hub ({why}); is that its address?") from None
        return found

    def _unreachable(self, why: object) -> MemdownError:
        if isinstance(why, ssl.SSLCertVerificationError):
            return Unreadable(f"the certificate of {self._url} is not trusted: {why.verify_message}")
        return HubDown(f"the hub at {self._url} cannot be reached: {why}; try again when it is up")

    def _unanswered(self, call: HubCall[R], why: str) -> HubDown:
        kind = HubUncertain if call.writes else HubDown
        return kind(f"the hub at {self._url} did not answer: {why}; try again when it is up")

    def _refusal(self, error: url_errors.HTTPError, call: HubCall[R]) -> MemdownError:
        try:
            refusal = msgspec.json.decode(error.read(_LONGEST), type=HubRefusal)
        except (OSError, HTTPException, ValueError, RecursionError):
            refusal = None
        if refusal is not None:
            found = KINDS.get(refusal.error, Unreadable)(refusal.message)
        elif error.code in (502, 504):
            found = self._unanswered(call, f"status {error.code}")
        elif error.code in (429, 503):
            found = HubDown(f"the hub at {self._url} is unavailable (status {error.code}); try again")
        else:
            found = Unreadable(f"{self._url} does not answer like a hub (status {error.code}); is that its address?")
        if isinstance(found, HubDown):
            found.after = _seconds(error.headers)
        return found


class _Heard(HTTPConnection):
    """A connection on which the answer is read even if the server gave it, and closed, before it had the whole call."""

    _cut: ConnectionError | None = None

    def send(self, data: object) -> None:
        try:
            super().send(data)  # type: ignore[arg-type]  # typed as a private name of the stubs
        except ConnectionError as error:
            if self.sock is None:  # there was no connection
                raise
            self._cut = error

    def getresponse(self) -> HTTPResponse:
        try:
            return super().getresponse()
        except (OSError, HTTPException):
            if self._cut is None:
                raise
            raise url_errors.URLError(self._cut) from None  # part of a call was sent: it cannot have been done


class _HeardTls(_Heard, HTTPSConnection):
    """The same over TLS."""


class _PlainHandler(url_requests.HTTPHandler):
    def http_open(self, req: url_requests.Request) -> HTTPResponse:
        return self.do_open(_Heard, req)


class _TlsHandler(url_requests.HTTPSHandler):
    def https_open(self, req: url_requests.Request) -> HTTPResponse:
        return self.do_open(_HeardTls, req)


class _NoRedirect(url_requests.HTTPRedirectHandler):
    """A token goes where it was meant to go."""

    def redirect_request(
        self, req: url_requests.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        del req, code, msg, headers
        fp.close()
        parts = urlsplit(newurl)
        place = f"{parts.scheme}://{parts.netloc}"
        raise Refused(f"the hub redirects to {quote(place)}; give that address if you trust it")


def checked(address: str) -> str:
    """An address to which a token may be sent: over TLS, or on this machine."""
    parts = urlsplit(address)
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        raise Invalid(f"{quote(address)} is not the address of a hub; write it like https://hub.example.")
    if parts.scheme == "http" and not _stays_here(parts.hostname):
        raise Invalid(f"Over http://, anyone on the way can read your token; write https://{parts.netloc} instead.")
    return address


def _stays_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds(headers: Message) -> float:
    given = headers.get("Retry-After", "")
    return float(given) if given.isascii() and given.isdigit() else 0.0
