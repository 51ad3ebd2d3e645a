#!/bin/sh
# calls.sh - calls of the whole family, right to the byte, and served or left: by every algorithm, with every setting
# that changes how messages go, and over each network.
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

# What redist needs; other exchanges than this one go by a1 then.
OMPI_MCA_coll_irr_redistribution=1,2,1,2
export OMPI_MCA_coll_irr_redistribution

algorithms="a1 ac a2 a3 a4 hybrid multistage node board lp rs_n rs_n_sort rs_nh optimal redist aapc"

# A schedule for other ranks than these: auto with it is a1, and served.
"$builddir/irr_plan" check --algorithm rs_n --ranks 3 --save "$scratch/schedule" > /dev/null
with_schedule="coll_irr_schedule_file=$scratch/schedule"

# The names that irr_bench lists, except the two without coll/irr.
all_named() {
    listed=$(ranks 1 "$builddir/irr_bench" --list-algorithms |
        sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | grep -vx -e host -e p2p | tr '\n' ' ')
    echo "irr_bench lists: $listed"
    [ "$listed" = "auto $algorithms " ]
}

# The first ranks have one value, the others another: all must leave MPI_Alltoall to Open MPI, and one text says why.
# With a share to spend those that choose would not come to the first call's agreement.
divided() {
    shown ranks 4 --mca coll_irr_setup_share 0 "$divide" 2 "$program" runs:60 served=no \
        "coll_irr_alltoall_algorithm=$1" else "$program" runs:60 served=no "$2" &&
        [ "$(flat | grep -o "$3" | wc -l)" -eq 1 ]
}

# A key on some ranks alone: these wait, and tell for what.
waits() {
    LIMIT=15 shown ranks 4 "$divide" 2 "$program" runs:60 coll_irr_alltoall_algorithm=a1 else "$program" runs:60
    flat | grep -q "has an info key for coll/irr, such as coll_irr_alltoall_algorithm, and waits"
}

# UCX warns of what it was told and does not use.
quiet() {
    shown ranks "$@" && [ "$(lines WARN)" -eq 0 ]
}

# settings: groups of random calls, from lines of an algorithm and its settings.
settings() {
    while read -r algorithm list; do
        # shellcheck disable=SC2046
        group "$1 ranks, $algorithm${list:+ and $list}" random:$rounds $(all "$algorithm") \
            $(for setting in $list; do echo "coll_irr_$setting"; done)
    done
}

sizes="5 8"
rounds=100
if whole; then
    sizes="2 3 4 5 7 8 12 16"
    rounds=400
fi
plan $((70 + 18 * $(echo "$sizes" | wc -w)))
check "the algorithms of this test are all there are" all_named
check "1 rank" ranks 1 "$program" alone coll_irr_alltoallv_algorithm=a1
for n in 2 3 7; do
    # shellcheck disable=SC2046
    check "$n ranks, each collective, form and shape" ranks $n "$program" each $(all a1)
done
for algorithm in a1 board a4 rs_nh aapc; do
    # shellcheck disable=SC2046
    group "4 ranks, $algorithm: each collective, form and shape" each $(all $algorithm)
    # shellcheck disable=SC2046
    group "4 ranks, $algorithm: arrays that change" repeats $(all $algorithm)
    # shellcheck disable=SC2046
    group "4 ranks, $algorithm: blocks beyond 4 GiB" far $(all $algorithm)
done
for algorithm in a3 optimal aapc; do
    group "4 ranks, MPI_Alltoall by $algorithm and the others by rs_nh" random:$rounds \
        coll_irr_alltoallv_algorithm=rs_nh "coll_irr_alltoall_algorithm=$algorithm" coll_irr_neighbor_algorithm=a1
done
# shellcheck disable=SC2046
group "4 ranks, auto with a schedule file" repeats served=yes $(all auto) "$with_schedule"
# shellcheck disable=SC2046
group "4 ranks, host leaves all to Open MPI" each served=no $(all host)
settings 4 << 'EOF'
a1 compose=gather
a1 compose=split
a1 compose=iovec
a1 window_messages=1
a1 window_bytes=4k
a1 pace=loose
a1 pace=grant
EOF
check_groups 4 "$program"
for algorithm in board a1 a3; do
    group "3 ranks, $algorithm: datatypes one after the other" runs:300 served=yes \
        "coll_irr_alltoall_algorithm=$algorithm"
done
check_groups 3 "$program"
for n in $sizes; do
    settings "$n" << EOF
$(printf '%s\n' $algorithms)
EOF
    # shellcheck disable=SC2046
    group "$n ranks, auto" random:300 $(all auto)
    # Every other one of 5 ranks: as many as the file is for, and other counts.
    # shellcheck disable=SC2046
    group "$n ranks, auto with a schedule file" random:$rounds $(all auto) "$with_schedule"
    OMPI_MCA_coll_irr_setup_share=1000000 check_groups "$n" "$program"
done
settings 7 << 'EOF'
a4 slice_min=0
a4 overlap=single
a4 overlap=blocking
a4 overlap=dual
a4 dims=3x2
a4 compose=split
a4 compose=iovec
a4 window_messages=1
hybrid direct_bytes=1
hybrid direct_bytes=1000
hybrid direct_bytes=100 window_messages=1
rs_nh lambda=search
rs_nh lambda=fixed:0.5
rs_nh cache_bytes=1
rs_nh matrix_max_bytes=100
rs_nh compose=split pace=free
rs_nh pace=loose
rs_nh pace=grant
rs_nh window_messages=1 piece_bytes=100
aapc pace=sync
aapc pace=grant piece_bytes=100
aapc window_messages=1 cache_bytes=1
node ranks_per_node=3
a1 ranks_per_node=3
EOF
check_groups 7 "$program"
check "host on some ranks, aapc on the others" divided aapc coll_irr_alltoall_algorithm=host "is host on some ranks"
check "auto on some ranks, aapc on the others" divided auto coll_irr_alltoall_algorithm=aapc \
    "is auto and coll_irr_setup_share is 0 on some ranks"
check "a1 on some ranks, ac on the others" divided a1 coll_irr_alltoall_algorithm=ac \
    "coll_irr_alltoall_algorithm is a1 on rank 0 .* and ac on rank 2"
check "an info key on some ranks, while the others choose" waits
check "verbose says who serves it" \
    says "MPI_Alltoall, 2 ranks on 1 node: lp, because coll_irr_alltoall_algorithm is lp" \
    ranks 2 --mca coll_irr_verbose 1 "$program" runs:60 coll_irr_alltoall_algorithm=lp
check "verbose says what auto is" \
    says "2 ranks on 1 node: a1, because coll_irr_alltoallv_algorithm is auto and there is a schedule file" \
    ranks 2 --mca coll_irr_verbose 1 "$program" repeats coll_irr_alltoallv_algorithm=auto "$with_schedule"
# shellcheck disable=SC2046,SC2086
check "4 ranks over tcp" quiet 4 $over_tcp "$program" random:$rounds $(all a1)
# shellcheck disable=SC2046,SC2086
check "4 ranks over tcp, long messages at once" quiet 4 $over_tcp --mca coll_irr_eager_bytes 64k "$program" \
    random:$rounds $(all a1)
if [ "$TRANSPORT" = ucx ]; then
    # shellcheck disable=SC2046
    check "4 ranks over all that UCX selects" ranks 4 --mca coll_irr_shm 0 --mca coll_irr_ucx_tls all "$program" \
        random:$rounds $(all a1)
else
    skip "4 ranks over all that UCX selects" "runs over $TRANSPORT"
fi
# shellcheck disable=SC2046
check "4 ranks beside pml ucx" ranks 4 --mca pml ucx --mca opal_common_ucx_tls any \
    --mca opal_common_ucx_devices any "$program" random:$rounds $(all a1)
# The end of a rendezvous waits where a queue is full: who is done and in a barrier must still send it.
check "6 ranks with queues of 4 messages" ranks 6 --mca coll_irr_shm 0 -x UCX_MM_FIFO_SIZE=4 \
    "$builddir/irr_bench" -c --unit 200000 --iterations 20 --algorithms a1,a4
exit $failed
