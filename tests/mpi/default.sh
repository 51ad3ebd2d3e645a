#!/bin/sh
# default.sh - without configuration Open MPI serves the first calls and coll/irr opens no transport.  These tests also
# cover the settings with which coll/irr serves, and the user messages if settings differ between ranks.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
all_components
program=$builddir/mpi_calls

# A schedule for another number of ranks, and a topology with this host.
"$builddir/irr_plan" check --algorithm random --ranks 3 --save "$scratch/schedule" > /dev/null
printf 'SwitchName=s Nodes=%s,other\n' "$(hostname | sed 's/\..*//')" > "$scratch/topology.conf"

# left CAUSE: for each collective, one line says that Open MPI serves because the algorithm is CAUSE.
left() {
    one_says "WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because coll_irr_alltoallv_algorithm is $1" \
        ranks 4 --mca coll_irr_setup_share 0 --mca coll_irr_verbose 1 "$program" left &&
        one_says "WORLD, MPI_Alltoall, 4 ranks on 1 node: Open MPI's own, because coll_irr_alltoall_algorithm is $1" \
            ranks 4 --mca coll_irr_setup_share 0 --mca coll_irr_verbose 1 "$program" left
}

# causes CAUSE OPTION...: the line of MPI_Alltoallv on MPI_COMM_WORLD ends with this cause.
causes() {
    line=$1
    shift
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: Open MPI's own, because $line\$" \
        ranks 4 --mca coll_irr_verbose 1 "$@" "$program" left
}

# read_only_shm TEXT: with a read-only /dev/shm, one line of the job has the text.
read_only_shm() {
    one_says "$1" timeout -k 5 "$LIMIT" unshare -m sh -c \
        'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$MPIRUN" --oversubscribe -np 4 "$builddir/mpi_report" 7 0
}

# check_shm: UCX needs a writable /dev/shm, and a message says so; the shared memory of coll/irr needs no /dev/shm.
check_shm() {
    export OMPI_MCA_coll_irr_transport=ucx OMPI_MCA_coll_irr_alltoallv_algorithm=direct OMPI_MCA_coll_irr_shm=0
    beside "UCX with a read-only /dev/shm" read_only_shm "rank 0 of MPI_COMM_WORLD: .*UCX needs about 5 MB per rank in a writable /dev/shm; with coll_irr_shm=1 the"
    OMPI_MCA_coll_irr_shm=1 OMPI_MCA_coll_irr_verbose=1
    export OMPI_MCA_coll_irr_verbose
    beside "shared memory of coll/irr with a read-only /dev/shm" says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: direct" unshare -m sh -c \
        'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$MPIRUN" --oversubscribe -np 4 "$builddir/mpi_report" 7 0
    unset OMPI_MCA_coll_irr_alltoallv_algorithm OMPI_MCA_coll_irr_transport OMPI_MCA_coll_irr_verbose OMPI_MCA_coll_irr_shm
}

plan 30
for n in 2 4 7; do
    beside "$n ranks without configuration: Open MPI serves, and no transport is opened" silent ranks $n "$program" left
done
beside "auto by name for both collectives" \
    silent ranks 4 --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_alltoall_algorithm auto "$program" left
beside "a topology file" silent ranks 4 --mca coll_irr_topology_file "$scratch/topology.conf" "$program" left
beside "a topology file, with one rank per node" \
    silent ranks 4 --mca coll_irr_topology_file "$scratch/topology.conf" --mca coll_irr_ranks_per_node 1 "$program" left
# shellcheck disable=SC2086
beside "settings without an algorithm" silent ranks 4 --mca coll_irr_window_messages 5 --mca coll_irr_pacing loose \
    $nowhere "$program" left
beside "MPI_Alltoallv by direct is served, which the test detects" \
    ranks 4 --mca coll_irr_alltoallv_algorithm direct "$program" v_served
beside "both collectives by named algorithms are served" ranks 4 --mca coll_irr_alltoallv_algorithm direct \
    --mca coll_irr_alltoall_algorithm grid "$program" all_served
beside "an algorithm in an info key: coll/irr serves" ranks 4 "$builddir/mpi_calls" repeats served=yes coll_irr_alltoallv_algorithm=direct
beside "a schedule file: coll/irr serves" ranks 4 --mca coll_irr_schedule_file "$scratch/schedule" "$program" all_served
beside "a dump of count matrices: coll/irr serves" ranks 4 --mca coll_irr_matrix_dump "$scratch/dump" "$program" all_served
beside "verbose gives a cause: share 0" left "auto and coll_irr_setup_share is 0"
beside "verbose gives a cause: a component of a higher priority" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, MPI_Alltoall, 4 ranks: component tuned of Open MPI, because its priority 90 is above" \
    ranks 4 --mca coll_irr_verbose 1 --mca coll_tuned_priority 90 "$program" left
beside "verbose gives a cause: a missing topology file" causes "rank 0: coll_irr_topology_file /nowhere: No such file or directory" \
    --mca coll_irr_alltoallv_algorithm tree --mca coll_irr_topology_file /nowhere
# shellcheck disable=SC2086
beside "verbose gives a cause: no transport" causes "rank 0: .*${says_nowhere}.*" --mca coll_irr_alltoallv_algorithm direct $nowhere
beside "verbose gives a cause: a bad value on all ranks" causes "coll_irr_setup_share is 'abc' on rank 0, which is not allowed" \
    --mca coll_irr_alltoallv_algorithm direct --mca coll_irr_setup_share abc
export OMPI_MCA_coll_irr_alltoallv_algorithm=direct OMPI_MCA_coll_irr_verbose=1
beside "verbose gives a cause: a bad value on rank 2" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, .*, because coll_irr_compose is 'nonsense' on rank 2, which is not allowed" \
    ranks 4 "$divide" 2 "$program" left else env OMPI_MCA_coll_irr_compose=nonsense "$program" left
beside "verbose gives a cause: settings that differ between ranks" one_says \
    "MPI_COMM_WORLD, MPI_Alltoallv, .*, because coll_irr_window_messages is '[05]' on rank [02] .* and '[05]' on rank [02]" \
    on_some_ranks OMPI_MCA_coll_irr_window_messages=5 "$builddir/mpi_report" 7 0
beside "verbose gives a cause: ranks without coll/irr" one_says \
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
    skip "UCX with a read-only /dev/shm" "no UCX, or not root"
    skip "shared memory of coll/irr with a read-only /dev/shm" "no UCX, or not root"
fi
beside "verbose says that Open MPI serves a persistent request" says "a persistent request of communicator MPI_COMM_WORLD is left to" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_alltoallv_algorithm host "$program" left
beside "direct on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" left
beside "a schedule file on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks "OMPI_MCA_coll_irr_schedule_file=$scratch/schedule" "$program" left
export OMPI_MCA_coll_irr_setup_share=0 OMPI_MCA_coll_irr_alltoall_algorithm=host
beside "share 0, and direct on two of four ranks" \
    one_message "coll_irr_alltoallv_algorithm is auto and coll_irr_setup_share is 0 on some ranks" \
    on_some_ranks OMPI_MCA_coll_irr_alltoallv_algorithm=direct "$program" left
beside "share 0, and a schedule file on two of four ranks" one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks "OMPI_MCA_coll_irr_schedule_file=$scratch/schedule" "$program" left
unset OMPI_MCA_coll_irr_setup_share OMPI_MCA_coll_irr_alltoall_algorithm
beside "host for MPI_Alltoall on two ranks, auto on two ranks: the first persistent request prints the message" \
    one_says "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an algorithm" \
    on_some_ranks OMPI_MCA_coll_irr_alltoall_algorithm=host "$program" left
beside "a bad value on two of four ranks" one_message "Value: *nonsense" \
    on_some_ranks OMPI_MCA_coll_irr_compose=nonsense "$program" left
beside "an unknown algorithm" one_message "Value: *fastest" \
    ranks 4 --mca coll_irr_alltoallv_algorithm fastest "$program" left
finish
exit $failed
