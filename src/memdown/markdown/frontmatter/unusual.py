"""Characters that YAML does not allow in plain text, or that its older readers take for line ends. Light to import."""

from memdown.patterns import lazy

# Surrogates stand for bytes that are not UTF-8; a byte order mark is allowed only before the first line.
UNUSUAL = lazy("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
