#!/bin/sh
# sweep.sh - no call of the MPI_Alltoallv family hangs if the n-th allocation or system call fails.
#
# With IRR_CHECK_ALL=1 all cases run, otherwise a random selection.
# shellcheck disable=SC2046
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_sweep

# keys ALGORITHM [RANKS_PER_NODE]: prints info keys that name the algorithm for every collective.  Neighbour collectives
# have direct if the algorithm does not serve them.
keys() {
    case $1 in
        direct|auto) neighbor=$1 ;;
        *) neighbor=direct ;;
    esac
    echo "coll_irr_alltoallv_algorithm=$1 coll_irr_alltoall_algorithm=$1 coll_irr_neighbor_algorithm=$neighbor" \
        "coll_irr_ranks_per_node=${2:-4}"
}

# sweep OPTIONS...: runs the groups, and prints the numbers of cases that the program counted.
sweep() {
    check_groups 4 -x IRR_SWEEP_STEP -x IRR_SWEEP_FORMS "$@" "$program"
    grep 'cases:' "$scratch/out" | sed 's/^/# /'
}

if whole; then
    IRR_SWEEP_STEP=1 IRR_SWEEP_FORMS=1 trial_forms=1
    algorithms="node grid"
    cold="1 2 3 4 5 6 7 8 9 10 12 14 16 20 24 30 40 60"
    start=$(seq 1 32)
else
    IRR_SWEEP_STEP=30 IRR_SWEEP_FORMS=4 trial_forms=8
    algorithms=node
    cold=3
    start="1 3 13 15 16"   # of the spare modules, of the module of MPI_COMM_WORLD, and the next
fi
export IRR_SWEEP_STEP IRR_SWEEP_FORMS
plan $((1 + 2 * ($(echo "direct $algorithms" | wc -w) + 1 + 1 + 2 + 3 + $(echo "$cold $start" | wc -w))))
for who in one all; do
    group "direct: allocations fail, ranks: $who" memory $who $(keys direct)
    for algorithm in $algorithms; do
        group "$algorithm: allocations fail, ranks: $who" memory $who $(keys "$algorithm" 2)
    done
    group "direct: process_vm_readv fails, ranks: $who" process_vm_readv $who $(keys direct)
done
sweep
for who in one all; do
    group "auto with trials: allocations fail, ranks: $who" trials:memory $who $(keys auto)
done
IRR_SWEEP_FORMS=$trial_forms IRR_SWEEP_STEP=$((IRR_SWEEP_STEP * 2 - 1)) sweep --mca coll_irr_setup_share 1000000000
# From row 28 on the cases have persistent requests.  One fails on one rank; starts of the other ranks must complete.
group "auto with trials: process_vm_readv fails, ranks: one" trials:process_vm_readv one $(keys auto)
IRR_SWEEP_FORMS=$trial_forms IRR_SWEEP_STEP=$((IRR_SWEEP_STEP * 3)) IRR_SWEEP_FROM=28:1 sweep -x IRR_SWEEP_FROM \
    --mca coll_irr_setup_share 1000000000
for who in one all; do
    for algorithm in direct node; do
        group "$algorithm over libfabric: allocations fail, ranks: $who" memory $who $(keys $algorithm 2)
    done
done
case " $TRANSPORTS " in
    *" ofi "*) sweep --mca coll_irr_transport ofi ;;
    *)
        while read -r name; do skip "$name" "built without libfabric"; done < "$scratch/groups"
        rm "$scratch/groups"
        groups=
        ;;
esac
# A process maps its segment and opens its engine only once, so each of these groups is a job.
IRR_SWEEP_STEP=1
for who in one all; do
    for call in mmap memfd_create ftruncate; do
        group "direct: $call fails, ranks: $who" $call $who $(keys direct)
        sweep
    done
    for n in $cold; do
        group "direct: allocation $n of the first communicator of a job fails, ranks: $who" "cold:$n" $who $(keys direct)
        sweep
    done
    for n in $start; do
        group "direct: allocation $n from MPI_Init on fails, ranks: $who" "start:$n" $who $(keys direct)
        sweep
    done
done
exit $failed
