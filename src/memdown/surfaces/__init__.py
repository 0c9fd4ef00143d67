"""The doors: each decodes what it is given, calls `Memory` once, and encodes the answer. No logic lives here."""
