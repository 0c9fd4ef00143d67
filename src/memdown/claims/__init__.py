"""What a text says of the code around it, in a form that can be looked up: paths, names, versions, commands.

Nothing is looked up here. A claim is text that means one thing of the repository; prose that only looks like one, and
what a line tells of the past, of a plan or of an example, is none.
"""

from memdown.claims.find import find, paths
from memdown.claims.model import KINDS, CodeClaim

__all__ = ["KINDS", "CodeClaim", "find", "paths"]
