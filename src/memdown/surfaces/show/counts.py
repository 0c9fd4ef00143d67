"""What was done to bring the index up to date, in a line."""

from memdown.surfaces.show.style import count


def line(counts: "dict[str, int | float]") -> str:
    """As `2 records in 1 file; 1 read, 0 removed, 0.01 s`."""
    done = f"{int(counts['changed']):,} read, {int(counts['removed']):,} removed, {counts['seconds']:.2f} s"
    return f"{count(int(counts['records']), 'record')} in {count(int(counts['files']), 'file')}; {done}"
