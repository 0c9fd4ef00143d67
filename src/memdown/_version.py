"""The version, once: the build, the command line and the library all read it here."""

VERSION = "0.1.0"
