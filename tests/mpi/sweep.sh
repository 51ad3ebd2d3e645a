#!/bin/sh
# sweep.sh - the n-th allocation or system call fails, in first and later calls of the whole family: no call hangs.
#
# All cases run with IRR_CHECK_ALL=1; otherwise some cases run, and different ones each time.  The reports of the groups
# are printed.
# shellcheck disable=SC2046
LIMIT=300
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_sweep

# keys ALGORITHM: the info keys by which every collective of the family has it, or direct where neighbours cannot.
keys() {
    case $1 in
        direct|auto) neighbor=$1 ;;
        *) neighbor=direct ;;
    esac
    echo "coll_irr_alltoallv_algorithm=$1 coll_irr_alltoall_algorithm=$1 coll_irr_neighbor_algorithm=$neighbor" \
        "coll_irr_ranks_per_node=${2:-4}"
}

# sweep OPTIONS...: runs the groups, one case in some of them, and prints what the program counted.
sweep() {
    check_groups 4 -x IRR_SWEEP_STEP -x IRR_SWEEP_FORMS "$@" "$program"
    grep 'cases:' "$scratch/out" | sed 's/^/# /'
}

if whole; then
    IRR_SWEEP_STEP=1 IRR_SWEEP_FORMS=1 trial_forms=1
    algorithms="node grid"
    cold="1 2 3 4 5 6 7 8 9 10 12 14 16 20 24 30 40 60"
else
    IRR_SWEEP_STEP=30 IRR_SWEEP_FORMS=4 trial_forms=8
    algorithms=node
    cold=3
fi
export IRR_SWEEP_STEP IRR_SWEEP_FORMS
plan $((1 + 2 * ($(echo "direct $algorithms" | wc -w) + 1 + 1 + 2 + 3 + $(echo "$cold" | wc -w))))
for who in one all; do
    group "direct, memory, $who" memory $who $(keys direct)
    for algorithm in $algorithms; do
        group "$algorithm, memory, $who" memory $who $(keys "$algorithm" 2)
    done
    group "direct, process_vm_readv, $who" process_vm_readv $who $(keys direct)
done
sweep
for who in one all; do
    group "auto with trials, memory, $who" trials:memory $who $(keys auto)
done
IRR_SWEEP_FORMS=$trial_forms IRR_SWEEP_STEP=$((IRR_SWEEP_STEP * 2 - 1)) sweep --mca coll_irr_setup_share 1000000000
# One rank loses a persistent request, of rows 28 and later; the others go on, whatever serves their next start.
group "auto with trials, process_vm_readv" trials:process_vm_readv one $(keys auto)
IRR_SWEEP_FORMS=$trial_forms IRR_SWEEP_STEP=$((IRR_SWEEP_STEP * 3)) IRR_SWEEP_FROM=28:1 sweep -x IRR_SWEEP_FROM \
    --mca coll_irr_setup_share 1000000000
for who in one all; do
    for algorithm in direct node; do
        group "$algorithm over libfabric, memory, $who" memory $who $(keys $algorithm 2)
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
# A process maps its segment and opens its engine once, so each of these is a job.
IRR_SWEEP_STEP=1
for who in one all; do
    for call in mmap memfd_create ftruncate; do
        group "direct, $call, $who" $call $who $(keys direct)
        sweep
    done
    for n in $cold; do
        group "direct, allocation $n of the first communicator of a job, $who" "cold:$n" $who $(keys direct)
        sweep
    done
done
exit $failed
