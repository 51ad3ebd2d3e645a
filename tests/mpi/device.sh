#!/bin/sh
# device.sh - buffers in memory of an accelerator: no processor accesses that memory, which would end the job, and every
# byte is right.
#
# The memory comes from the component of accelerator.c.  IRR_TEST_DEVICE runs the other scripts of MPI with such buffers.
# shellcheck disable=SC2046,SC2086
LIMIT=120
export IRR_TEST_DEVICE="${IRR_TEST_DEVICE:-both}"
. "${srcdir:-.}/tests/mpi/lib.sh"
calls=$builddir/mpi_calls
export OMPI_MCA_coll_irr_redistribution=1,2,1,2

# on BUFFERS: the buffers of the next jobs that are in memory of an accelerator.
on() {
    export IRR_TEST_DEVICE="$1"
}

# The job reports the component that Open MPI selects.
selected() {
    says "selected $1" ranks 2 --mca accelerator_base_verbose 10 "$calls" alone
}

no_accelerator() (
    unset IRR_TEST_DEVICE
    selected null
)

# randomly TITLE ALGORITHM...: one group of random calls an algorithm.
randomly() {
    title=$1
    shift
    for algorithm; do
        group "$title: $algorithm" random:40 $(all "$algorithm")
    done
}

plan 27
check "the component of the tests is selected" selected guard
check "without device buffers none is selected" no_accelerator
for algorithm in direct tree; do
    group "4 ranks, each collective, form and shape: $algorithm" each $(all $algorithm)
    group "4 ranks, arrays that change: $algorithm" repeats served=yes $(all $algorithm)
done
group "4 ranks, Open MPI's own" each served=no $(all host)
check_groups 4 "$calls"
for buffers in send recv mixed; do
    on $buffers
    randomly "4 ranks, $buffers" direct grid bruck tree
    check_groups 4 "$calls"
done
randomly "7 ranks, mixed" balanced-grid hybrid node redistribution
OMPI_MCA_coll_irr_setup_share=1000000 check_groups 7 "$calls"
check "4 ranks over tcp" ranks 4 $over_tcp "$calls" random:40 $(all direct)
check "4 ranks that choose" ranks 4 --mca coll_irr_setup_share 1000000000 "$calls" change:200 served=yes $(all auto)
for case in together ahead; do
    group "4 ranks, requests: $case" $case served=yes $(all direct)
done
check_groups 4 "$calls"
exit $failed
