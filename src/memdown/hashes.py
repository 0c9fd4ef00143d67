"""Hashes without OpenSSL, which takes as long to load as a tenth of a small command; much data is worth it."""

from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import hashlib
    from hashlib import blake2b
    from hashlib import sha256 as _sha256
else:
    hashlib = LazyModule("hashlib")
    try:
        from _blake2 import blake2b
    except ImportError:  # this Python has none but OpenSSL's
        from hashlib import blake2b
    try:
        from _sha2 import sha256 as _sha256
    except ImportError:
        try:
            from _sha256 import sha256 as _sha256  # before Python 3.12
        except ImportError:
            from hashlib import sha256 as _sha256

__all__ = ["blake2b", "sha256"]
_ENOUGH = 1 << 18
"""Bytes for which OpenSSL, four times as fast, has made up for the time that it takes to load."""
_hashed = 0
"""How many there were; exact where one thread hashes, and no matter where several do."""


def sha256(data: bytes) -> str:
    """In hexadecimal digits."""
    global _hashed
    _hashed += len(data)
    return (_sha256(data) if _hashed < _ENOUGH else hashlib.sha256(data)).hexdigest()
