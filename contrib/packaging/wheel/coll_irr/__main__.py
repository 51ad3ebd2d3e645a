"""Prints what LD_PRELOAD must be for programs that are not Python."""
from coll_irr import LIBRARY

print(LIBRARY)
