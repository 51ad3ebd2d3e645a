#!/bin/sh
# default.sh - with nothing configured all stays with Open MPI, and nothing is opened; what brings coll/irr in, and what
# is said if ranks do not agree on it.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
all_components
program=$builddir/mpi_calls

# A schedule for other ranks than these, and a topology with this host.
"$builddir/irr_plan" check --algorithm random --ranks 3 --save "$scratch/schedule" > /dev/null
printf 'SwitchName=s Nodes=%s,other\n' "$(hostname | sed 's/\..*//')" > "$scratch/topology.conf"

# left WHY: a line for each collective says why it is left to Open MPI.
left() {
    one_says "WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because coll_irr_alltoallv_algorithm is $1" \
        ranks 4 --mca coll_irr_setup_share 0 --mca coll_irr_verbose 1 "$program" left &&
        one_says "WORLD, MPI_Alltoall, 4 ranks on 1 node: Open MPI's own, because coll_irr_alltoall_algorithm is $1" \
            ranks 4 --mca coll_irr_setup_share 0 --mca coll_irr_verbose 1 "$program" left
}

# causes LINE OPTION...: on MPI_COMM_WORLD of 4 ranks, the line of MPI_Alltoallv ends like that.
causes() {
    line=$1
    shift
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because $line\$" \
        ranks 4 --mca coll_irr_verbose 1 "$@" "$program" left
}

# read_only_shm TEXT: one message of the job has the text if /dev/shm is read-only.
read_only_shm() {
    one_says "$1" timeout -k 5 "$LIMIT" unshare -m sh -c \
        'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$MPIRUN" --oversubscribe -np 4 "$builddir/mpi_report" 7 0
}

# check_shm: messages between ranks of a node need no /dev/shm; over UCX they do, and the text says so.
check_shm() {
    export OMPI_MCA_coll_irr_transport=ucx OMPI_MCA_coll_irr_alltoallv_algorithm=direct OMPI_MCA_coll_irr_shm=0
    beside "a read-only /dev/shm" read_only_shm "rank 0 of MPI_COMM_WORLD: .*UCX needs about 5 MB per rank in a writable /dev/shm; with coll_irr_shm=1 the"
    OMPI_MCA_coll_irr_shm=1 OMPI_MCA_coll_irr_verbose=1
    export OMPI_MCA_coll_irr_verbose
    beside "shared memory of coll/irr needs none" says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: direct" unshare -m sh -c \
        'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$MPIRUN" --oversubscribe -np 4 "$builddir/mpi_report" 7 0
    unset OMPI_MCA_coll_irr_alltoallv_algorithm OMPI_MCA_coll_irr_transport OMPI_MCA_coll_irr_verbose OMPI_MCA_coll_irr_shm
}

plan 30
for n in 2 4 7; do
    beside "$n ranks, nothing configured: all is left to Open MPI, nothing is opened" silent ranks $n "$program" left
done
beside "auto by name for both collectives" \
    silent ranks 4 --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_alltoall_algorithm auto "$program" left
beside "a topology file" silent ranks 4 --mca coll_irr_topology_file "$scratch/topology.conf" "$program" left
beside "a topology file, and a node for each rank" \
    silent ranks 4 --mca coll_irr_topology_file "$scratch/topology.conf" --mca coll_irr_ranks_per_node 1 "$program" left
# shellcheck disable=SC2086
beside "settings without an algorithm" silent ranks 4 --mca coll_irr_window_messages 5 --mca coll_irr_pacing loose \
    $nowhere "$program" left
beside "the test sees an engine where an algorithm is named" \
    ranks 4 --mca coll_irr_alltoallv_algorithm direct "$program" v_served
beside "and where one is named for each" ranks 4 --mca coll_irr_alltoallv_algorithm direct \
    --mca coll_irr_alltoall_algorithm grid "$program" all_served
beside "an info key brings coll/irr in" ranks 4 "$builddir/mpi_calls" repeats served=yes coll_irr_alltoallv_algorithm=direct
beside "a schedule file does" ranks 4 --mca coll_irr_schedule_file "$scratch/schedule" "$program" all_served
beside "a dump does" ranks 4 --mca coll_irr_matrix_dump "$scratch/dump" "$program" all_served
beside "verbose says why" left "auto and coll_irr_setup_share is 0"
beside "the cause: a component of a higher priority" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, MPI_Alltoall, 4 ranks: component tuned of Open MPI, because its priority 90 is above" \
    ranks 4 --mca coll_irr_verbose 1 --mca coll_tuned_priority 90 "$program" left
beside "the cause: a file that is not there" causes "rank 0: coll_irr_topology_file /nowhere: No such file or directory" \
    --mca coll_irr_alltoallv_algorithm tree --mca coll_irr_topology_file /nowhere
# shellcheck disable=SC2086
beside "the cause: no transport" causes "rank 0: .*${says_nowhere}.*" --mca coll_irr_alltoallv_algorithm direct $nowhere
beside "the cause: a bad value of the job" causes "coll_irr_setup_share is 'abc' on rank 0, which is not allowed" \
    --mca coll_irr_alltoallv_algorithm direct --mca coll_irr_setup_share abc
export OMPI_MCA_coll_irr_alltoallv_algorithm=direct OMPI_MCA_coll_irr_verbose=1
beside "the cause: a bad value of another rank" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, .*, because coll_irr_compose is 'nonsense' on rank 2, which is not allowed" \
    ranks 4 "$divide" 2 "$program" left else env OMPI_MCA_coll_irr_compose=nonsense "$program" left
beside "the cause: settings that differ" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, .*, because coll_irr_window_messages is '[05]' on rank [02] .* and '[05]' on rank [02]" \
    on_some_ranks OMPI_MCA_coll_irr_window_messages=5 "$builddir/mpi_report" 7 0
beside "the cause: ranks without coll/irr" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, .*, because rank 2 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has" \
    ranks 4 "$divide" 2 "$builddir/mpi_report" 7 0 else env OMPI_MCA_coll=^irr "$builddir/mpi_report" 7 0
unset OMPI_MCA_coll_irr_alltoallv_algorithm OMPI_MCA_coll_irr_verbose
case $TRANSPORTS in
    *ucx*) ucx=yes ;;
    *) ucx= ;;
esac
if [ -n "$ucx" ] && unshare -m mount -t tmpfs -o ro none /dev/shm 2> /dev/null; then
    check_shm
else
    skip "a read-only /dev/shm" "no UCX, or not root"
    skip "shared memory of coll/irr needs none" "no UCX, or not root"
fi
beside "verbose says that a request is left" says "a persistent request of communicator MPI_COMM_WORLD is left to" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_alltoallv_algorithm host "$program" left
beside "an algorithm on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" left
beside "a schedule file on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks "OMPI_MCA_coll_irr_schedule_file=$scratch/schedule" "$program" left
export OMPI_MCA_coll_irr_setup_share=0 OMPI_MCA_coll_irr_alltoall_algorithm=host
beside "nothing to spend, and an algorithm on two of four ranks" \
    one_message "coll_irr_alltoallv_algorithm is auto and coll_irr_setup_share is 0 on some ranks" \
    on_some_ranks OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" left
beside "the same and a schedule file on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks "OMPI_MCA_coll_irr_schedule_file=$scratch/schedule" "$program" left
unset OMPI_MCA_coll_irr_setup_share OMPI_MCA_coll_irr_alltoall_algorithm
beside "host for MPI_Alltoall on two of four ranks, auto on the others: the first request asks" \
    one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks OMPI_MCA_coll_irr_alltoall_algorithm=host "$program" left
beside "a bad value on two of four ranks" one_message "Value: *nonsense" \
    on_some_ranks OMPI_MCA_coll_irr_compose=nonsense "$program" left
beside "an unknown algorithm" one_message "Value: *fastest" \
    ranks 4 --mca coll_irr_alltoallv_algorithm fastest "$program" left
finish
exit $failed
