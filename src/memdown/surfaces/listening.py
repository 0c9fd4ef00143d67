"""A socket for a server on this machine."""

import socket
import sys
from typing import Any

from memdown.errors import Invalid, on_failure

QUIET: dict[str, Any] = {
    "lifespan": "off",
    "ws": "none",
    "access_log": False,
    "proxy_headers": False,
    "server_header": False,
}
"""How uvicorn serves here: requests alone, and nothing told of them."""


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
        with on_failure(listening.close):
            if sys.platform != "win32":  # there it would let another program take the port over
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen()
    except OSError as error:
        raise Invalid(f"{host} port {port} cannot be served on ({error.strerror}); choose another --port.") from error
    return listening
