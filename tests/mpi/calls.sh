#!/bin/sh
# calls.sh - all functions of the MPI_Alltoallv family deliver the right bytes, and coll/irr or Open MPI serves them as
# expected: by every algorithm, with every setting that affects messages, and over each network.
# shellcheck disable=SC2046,SC2086
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls
export OMPI_MCA_coll_irr_redistribution=1,2,1,2

# A schedule file for another number of ranks.  With such a file auto means direct, and coll/irr serves.
"$builddir/irr_plan" check --algorithm random --ranks 3 --save "$scratch/schedule" > /dev/null
with_schedule="coll_irr_schedule_file=$scratch/schedule"

# irr_bench lists the names in $algorithms, and besides them auto and the two that run without coll/irr.
all_named() {
    listed=$("$builddir/irr_bench" --list-algorithms |
        sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' | grep -vx -e host -e p2p | tr '\n' ' ')
    echo "irr_bench lists: $listed"
    [ "$listed" = "auto $algorithms " ]
}

# Ranks 0 and 1 have one algorithm of MPI_Alltoall, ranks 2 and 3 another.  Open MPI must serve all ranks, and one user
# message says why.  The share is 0 because ranks with auto would otherwise not join the agreement of the first call.
key=coll_irr_alltoall_algorithm
divided() {
    shown ranks 4 --mca coll_irr_setup_share 0 "$divide" 2 "$program" runs:60 served=no $key=tree , runs:60 served=no \
        $key=auto , runs:60 served=no $key=direct else "$program" runs:60 served=no $key=host , runs:60 served=no \
        $key=tree , runs:60 served=no $key=natural
    divided=$?
    cp "$scratch/run" "$scratch/divided"
}
divided_says() { cat "$scratch/divided" && [ $divided -eq 0 ] && [ "$(tr '\n' ' ' < "$scratch/divided" | grep -o "$1" | wc -l)" -eq 1 ]; }

# Ranks 0 and 1 have an info key for coll/irr.  They wait for the other ranks, and a user message says so.
waits() {
    LIMIT=15 shown ranks 4 "$divide" 2 "$program" runs:60 coll_irr_alltoall_algorithm=direct else "$program" runs:60
    flat | grep -q "has an info key for coll/irr, such as coll_irr_alltoall_algorithm, and waits"
}

# quiet N COMMAND...: runs N ranks; UCX does not warn of settings that it does not use.
quiet() {
    shown ranks "$@" && [ "$(lines WARN)" -eq 0 ]
}

# settings N: adds a group of random calls for each line of stdin, which has an algorithm and its settings.
settings() {
    while read -r algorithm list; do
        group "$1 ranks, $algorithm${list:+ and $list}" random:$rounds $(all "$algorithm") \
            $(for setting in $list; do echo "coll_irr_$setting"; done)
    done
}

sizes="5 8"
[ -z "${IRR_TEST_TRANSPORT:-}" ] || sizes=5
rounds=40
if whole; then
    sizes="2 3 4 5 7 8 12 16"
    rounds=400
fi
plan $((70 + 17 * $(echo "$sizes" | wc -w)))
check "this test has all algorithms that irr_bench lists" all_named
check "1 rank" ranks 1 "$program" alone coll_irr_alltoallv_algorithm=direct
for n in 2 3 7; do
    group "$n ranks, each collective, form and shape" each $(all direct)
    for algorithm in $([ $n -ne 3 ] || echo direct grid); do
        group "$n ranks, $algorithm: datatypes that are created and freed one after the other" runs:300 served=yes \
            "coll_irr_alltoall_algorithm=$algorithm"
    done
    check_groups $n --mca mpi_param_check 0 "$program"
done
for algorithm in direct balanced-grid random-heap tree; do
    group "4 ranks, $algorithm: each collective, form and shape" each $(all $algorithm)
    group "4 ranks, $algorithm: grids with two edges between two ranks" grids:6 $(all $algorithm)
    group "4 ranks, $algorithm: counts and datatypes that change between calls" repeats $(all $algorithm)
    group "4 ranks, $algorithm: blocks beyond 4 GiB" far $(all $algorithm)
done
for algorithm in grid optimal tree; do
    group "4 ranks, MPI_Alltoall by $algorithm and the others by random-heap" random:$rounds \
        coll_irr_alltoallv_algorithm=random-heap "coll_irr_alltoall_algorithm=$algorithm" coll_irr_neighbor_algorithm=direct
done
group "4 ranks, auto with a schedule file" repeats served=yes $(all auto) "$with_schedule"
group "4 ranks, host leaves all to Open MPI" each served=no $(all host)
settings 4 << 'EOF'
direct compose=gather
direct compose=split
direct compose=iovec
direct window_messages=1
direct window_bytes=4k
direct pacing=loose
direct pacing=grant
EOF
check_groups 4 "$program"
for n in $sizes; do
    settings "$n" << EOF
$(printf '%s\n' $algorithms)
EOF
    group "$n ranks, auto" random:$((3 * rounds)) $(all auto)
    # Every second of 5 ranks is in a communicator of 3, for which the file has a schedule, but of other counts.
    group "$n ranks, auto with a schedule file" random:$rounds $(all auto) "$with_schedule"
    OMPI_MCA_coll_irr_setup_share=1000000 check_groups "$n" "$program"
done
settings 7 << 'EOF'
balanced-grid slice_min=0
balanced-grid overlap=single
balanced-grid overlap=blocking
balanced-grid overlap=dual
balanced-grid dims=3x2
balanced-grid compose=split
balanced-grid compose=iovec
balanced-grid window_messages=1
hybrid direct_bytes=1
hybrid direct_bytes=1000
hybrid direct_bytes=100 window_messages=1
random-heap lambda=search
random-heap lambda=fixed:0.5
random-heap cache_bytes=1
random-heap matrix_max_bytes=100
random-heap compose=split pacing=free
random-heap pacing=loose
random-heap pacing=grant
random-heap window_messages=1 piece_bytes=100
tree pacing=sync
tree pacing=grant piece_bytes=100
tree window_messages=1 cache_bytes=1
node ranks_per_node=3
direct ranks_per_node=3
EOF
check_groups 7 "$program"
divided > /dev/null < /dev/null
check "host on two ranks, tree on two ranks" divided_says "is host on some ranks"
check "auto on two ranks, tree on two ranks" divided_says "is auto and coll_irr_setup_share is 0 on some ranks"
check "direct on two ranks, natural on two ranks" \
    divided_says "coll_irr_alltoall_algorithm is 'direct' on rank 0 [^;]* and 'natural' on rank 2"
check "an info key on two ranks, and auto on two ranks" waits
check "verbose names the algorithm that serves MPI_Alltoall" \
    says "MPI_Alltoall, 2 ranks on 1 node: xor, because coll_irr_alltoall_algorithm is xor" \
    ranks 2 --mca coll_irr_verbose 1 "$program" runs:60 coll_irr_alltoall_algorithm=xor
check "verbose names the algorithm that auto means with a schedule file" \
    says "2 ranks on 1 node: direct, because coll_irr_alltoallv_algorithm is auto and there is a schedule file" \
    ranks 2 --mca coll_irr_verbose 1 "$program" repeats coll_irr_alltoallv_algorithm=auto "$with_schedule"
check "4 ranks over tcp" quiet 4 $over_tcp "$program" random:$rounds $(all direct)
check "4 ranks over tcp, messages of up to 64k sent eagerly" quiet 4 $over_tcp --mca coll_irr_eager_bytes 64k "$program" \
    random:$rounds $(all direct)
if [ "$TRANSPORT" = ucx ]; then
    check "4 ranks over the transports that UCX selects" ranks 4 --mca coll_irr_shm 0 --mca coll_irr_ucx_tls all "$program" \
        random:$rounds $(all direct)
else
    skip "4 ranks over the transports that UCX selects" "runs over $TRANSPORT"
fi
if [ -n "${IRR_TEST_DEVICE:-}" ]; then
    skip "4 ranks beside pml ucx" "UCX does not know the accelerator of the tests"
elif ! "$OMPI_INFO" | grep -q 'MCA pml: ucx'; then
    skip "4 ranks beside pml ucx" "this Open MPI was built without UCX"
else
    check "4 ranks beside pml ucx" ranks 4 --mca pml ucx --mca opal_common_ucx_tls any \
        --mca opal_common_ucx_devices any "$program" random:$rounds $(all direct)
fi
# While a queue is full, the last message of a rendezvous waits.  A rank must send this message even inside a barrier.
check "6 ranks with queues of 4 messages" ranks 6 --mca coll_irr_shm 0 -x UCX_MM_FIFO_SIZE=4 \
    "$builddir/irr_bench" -c --unit 200000 --iterations 20 --algorithms direct,balanced-grid
exit $failed
