#!/bin/sh
# life.sh - communicators are used and freed in unusual ways; jobs leave neither listening sockets nor shared memory.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

plan 20
check "4 ranks, case unused" ranks 4 "$program" unused
for case in freed_late subsets some_ranks inter inter_in_place other_traffic many leaked; do
    group "4 ranks, case $case" $case
done
check_groups 4 "$program"
for case in first_dup threads thread_dups; do
    group "4 ranks, case $case" $case
done
check_groups 4 "$program"
for case in subsets threads; do
    group "7 ranks, case $case" $case
done
check_groups 7 "$program"
check "5 ranks, case inter" ranks 5 "$program" inter
check "2 ranks, case thread_dups" ranks 2 "$program" thread_dups
# On some nodes libfabric has only providers that use sockets.
if [ "$TRANSPORT" = ofi ]; then listens=local_listeners; else listens=no_listener; fi
check "a job on one node has no listening socket that other hosts reach" ranks 4 "$program" $listens
# shellcheck disable=SC2086
check "the test detects a listening socket of tcp" ranks 2 $over_tcp "$program" listeners
check "a failing rank makes mpirun fail" expect_failure ranks 2 "$program" nothing

# unused: prints the files of UCX in /dev/shm that are newer than this test and that no process maps.  Jobs of other
# tests may run at the same time.
unused() {
    find /dev/shm -newer "$scratch" -name 'ucx_shm*' 2> /dev/null | while read -r file; do
        cat /proc/[0-9]*/maps 2> /dev/null | grep -q -F "$file" || find "$file" 2> /dev/null
    done | sort
}
# A file that another job is just creating is mapped or gone at the second look.
unused > "$scratch/first"
left=$(unused | comm -12 "$scratch/first" - | wc -l)
echo "$left files of UCX left in /dev/shm" > "$scratch/out"
report "$left" "jobs leave no shared memory of UCX"
exit $failed
