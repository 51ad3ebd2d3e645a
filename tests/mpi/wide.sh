#!/bin/sh
# wide.sh - counts, displacements and lengths of blocks above 32 bits, in MPI's functions with counts of type MPI_Count.
# shellcheck disable=SC2046
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"

case $release in
    4.* | 5.*) skip_all "counts of type MPI_Count need Open MPI 6.0" ;;
esac
plan 9
for name in alltoallv in_place alltoallw ialltoallv alltoallw_init neighbors; do
    group "case $name" "$name" served=yes $(all direct)
done
group "case alltoall, on a communicator of two ranks" alltoall $(all direct)
group "case alltoallv, by random-heap" alltoallv served=yes $(all random-heap)
group "case alltoallv, served by Open MPI" alltoallv served=no $(all host)
check_groups 3 "$builddir/mpi_calls"
exit $failed
