"""Loops over a vocabulary: numpy where it is installed and the vocabulary is large enough, plain Python elsewhere.

`plain` and `arrays` have the same functions; `plain` is the oracle of `arrays` in tests.
"""

from . import plain

try:
    from . import arrays
except ImportError:
    arrays = None

#: Shorter lists stay in plain Python: a call into numpy costs more than a loop over a toy vocabulary.
MIN_LENGTH = 64

_chosen = None


def use(loops):
    """Uses the given loops for every length; None restores the choice by length. For tests."""
    global _chosen
    _chosen = loops


def loops_for(length):
    if _chosen is not None:
        return _chosen
    return plain if arrays is None or length < MIN_LENGTH else arrays
