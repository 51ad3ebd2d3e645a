"""Prints the value of LD_PRELOAD for programs without Python."""
from coll_irr import LIBRARY

print(LIBRARY)
