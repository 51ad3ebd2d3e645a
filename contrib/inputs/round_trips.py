"""Round trips of mpi4py-fft, which calls MPI_Alltoallw, with shapes that ranks share unevenly.

    mpirun -np 4 python round_trips.py

Exit status 1: a result is wrong.
"""
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

PLANS = (
    {"shape": (12, 14, 9), "dtype": "D"},
    {"shape": (17, 13, 11), "dtype": "D", "grid": (-1,)},
    {"shape": (16, 12, 10), "dtype": "d", "grid": (0, 0, 1)},
    {"shape": (13, 9, 7, 5), "dtype": "D"},
)

comm = MPI.COMM_WORLD
numbers = numpy.random.default_rng(comm.rank)
wrong = 0
for plan in PLANS:
    fft = PFFT(comm, **plan)
    there = newDistArray(fft, False)
    there[:] = numbers.random(there.shape)
    for _ in range(8):
        wrong += not numpy.allclose(fft.backward(fft.forward(there)), there)
    fft.destroy()
wrong = comm.allreduce(wrong)
if comm.rank == 0:
    print(wrong, "round trips are wrong")
sys.exit(wrong != 0)
