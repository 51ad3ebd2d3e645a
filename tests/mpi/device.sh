#!/bin/sh
# device.sh - exchanges of buffers in memory of an accelerator deliver every byte.  No processor accesses that memory:
# the component guard (accelerator.c), which emulates it, ends a job that does.
#
# With the environment variable IRR_TEST_DEVICE, the other scripts of MPI use buffers in this memory, too.
# shellcheck disable=SC2046,SC2086
LIMIT=120
export IRR_TEST_DEVICE="${IRR_TEST_DEVICE:-both}"
. "${srcdir:-.}/tests/mpi/lib.sh"
calls=$builddir/mpi_calls
export OMPI_MCA_coll_irr_redistribution=1,2,1,2

# on BUFFERS: sets which buffers of the next jobs are in memory of the accelerator: send, recv, mixed or both.
on() {
    export IRR_TEST_DEVICE="$1"
}

# selected NAME: Open MPI selects this component of its framework accelerator.
selected() {
    says "selected $1" ranks 2 --mca accelerator_base_verbose 10 "$calls" alone
}

no_accelerator() (
    unset IRR_TEST_DEVICE
    selected null
)

# randomly TITLE ALGORITHM...: adds a group of random calls for each algorithm.
randomly() {
    title=$1
    shift
    for algorithm; do
        group "$title: $algorithm" random:40 $(all "$algorithm")
    done
}

plan 27
check "Open MPI selects the component guard" selected guard
check "without IRR_TEST_DEVICE Open MPI selects the component null" no_accelerator
for algorithm in direct tree; do
    group "4 ranks, each collective, form and shape: $algorithm" each $(all $algorithm)
    group "4 ranks, counts and datatypes that change between calls: $algorithm" repeats served=yes $(all $algorithm)
done
group "4 ranks, served by Open MPI" each served=no $(all host)
check_groups 4 "$calls"
for buffers in send recv mixed; do
    on $buffers
    randomly "4 ranks, device buffers: $buffers" direct grid bruck tree
    check_groups 4 "$calls"
done
randomly "7 ranks, device buffers: mixed" balanced-grid hybrid node redistribution
OMPI_MCA_coll_irr_setup_share=1000000 check_groups 7 "$calls"
check "4 ranks over tcp" ranks 4 $over_tcp "$calls" random:40 $(all direct)
check "4 ranks with auto" ranks 4 --mca coll_irr_setup_share 1000000000 "$calls" change:200 served=yes $(all auto)
for case in together ahead; do
    group "4 ranks, requests: $case" $case served=yes $(all direct)
done
check_groups 4 "$calls"
exit $failed
