"""Holding an index open between questions. Whoever holds one closes it; a forgotten one is closed all the same."""

from weakref import finalize

from memdown.index import Index


class IndexHandle:
    """At most one open index. Closing it is final for the index only: the next question may bring another."""

    def __init__(self) -> None:
        self.index: Index | None = None
        self._close: finalize[[], IndexHandle] | None = None

    def hold(self, index: Index) -> Index:
        """Take over an index; another that was held is closed."""
        if index is not self.index:
            self.close()
            self.index = index
            # For those who never close, and for the end of the process.
            self._close = finalize(self, index.close)
        return index

    def close(self) -> None:
        if self._close is not None:
            self._close()
        self.index = self._close = None
