#!/bin/sh
# wide.sh - counts, displacements and blocks of more than 32 bits, by the functions of MPI with counts of type MPI_Count.
# shellcheck disable=SC2046
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"

case $release in
    4.* | 5.*) skip_all "counts of type MPI_Count need Open MPI 6.0" ;;
esac
plan 9
for name in alltoallv in_place alltoallw ialltoallv alltoallw_init neighbors; do
    group "$name" "$name" served=yes $(all direct)
done
group "alltoall on two of the ranks" alltoall $(all direct)
group "alltoallv by a schedule" alltoallv served=yes $(all random-heap)
group "alltoallv left to Open MPI" alltoallv served=no $(all host)
check_groups 3 "$builddir/mpi_calls"
exit $failed
