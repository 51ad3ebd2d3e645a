#!/bin/sh
# alltoall.sh - MPI_Alltoall against Open MPI's own, for many numbers of ranks and settings, and beside MPI_Alltoallv.
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_alltoall

# Open MPI's own for 12 ranks and more is wrong where the types of both sides differ.  Its linear one is right.
OMPI_MCA_coll_tuned_use_dynamic_rules=1
OMPI_MCA_coll_tuned_alltoall_algorithm=1
export OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_coll_tuned_alltoall_algorithm

# What redist needs; other exchanges than this one go by a1 then.
OMPI_MCA_coll_irr_redistribution=1,2,1,2
export OMPI_MCA_coll_irr_redistribution

# A schedule for other ranks than these: auto with it is a1, and served.
"$builddir/irr_plan" check --algorithm rs_n --ranks 3 --save "$scratch/schedule" > /dev/null
with_schedule="coll_irr_schedule_file=$scratch/schedule"

# The first ranks have one value, the others another: all must leave MPI_Alltoall to Open MPI, and one text tells why.
# With a share to spend those that choose would not come to the first call's agreement.
divided() {
    ranks 4 --mca coll_irr_setup_share 0 "$divide" 2 "$program" divided "coll_irr_alltoall_algorithm=$1" else \
        "$program" divided $2 > "$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    [ $status -eq 0 ] && [ "$(tr '\n' ' ' < "$scratch/run" | grep -c "$3")" -eq 1 ]
}

# A key on some ranks alone: these wait, and tell for what.
waits() {
    LIMIT=20 ranks 4 "$divide" 2 "$program" divided coll_irr_alltoall_algorithm=a1 else "$program" divided \
        > "$scratch/run" 2>&1
    cat "$scratch/run"
    tr '\n' ' ' < "$scratch/run" | grep -q "has an info key for coll/irr, such as coll_irr_alltoall_algorithm, and waits"
}

algorithms="a1 ac a2 a3 a4 hybrid multistage node board lp rs_n rs_n_sort rs_nh optimal redist aapc"

if whole; then plan 75; else plan 60; fi
for n in 1 2 3 4 7; do
    check "$n ranks, every byte as Open MPI's own" ranks "$n" "$program" irr coll_irr_alltoall_algorithm=a1
done
group "5 ranks, auto with a schedule file" irr coll_irr_alltoall_algorithm=auto "$with_schedule"
for algorithm in $algorithms; do
    group "5 ranks, $algorithm" irr "coll_irr_alltoall_algorithm=$algorithm"
done
check_groups 5 "$program"
for algorithm in $algorithms; do
    group "8 ranks, $algorithm" irr "coll_irr_alltoall_algorithm=$algorithm"
done
check_groups 8 "$program"
if whole; then
    for algorithm in $algorithms; do
        group "16 ranks, $algorithm" irr "coll_irr_alltoall_algorithm=$algorithm"
    done
    check_groups 16 "$program"
else
    left_out "16 ranks, each algorithm"
fi
for algorithm in a3 optimal aapc; do
    group "4 ranks, both collectives by $algorithm" irr \
        "coll_irr_alltoall_algorithm=$algorithm" "coll_irr_alltoallv_algorithm=$algorithm"
    group "4 ranks, MPI_Alltoall by $algorithm and MPI_Alltoallv by rs_nh" irr \
        "coll_irr_alltoall_algorithm=$algorithm" coll_irr_alltoallv_algorithm=rs_nh
done
group "the default leaves it to Open MPI" host
group "so does host" host coll_irr_alltoall_algorithm=host
group "so does auto" host coll_irr_alltoall_algorithm=auto
check_groups 4 "$program"
for setting in pace=loose pace=grant piece_bytes=100 window_messages=1 cache_bytes=1; do
    group "7 ranks, aapc and coll_irr_$setting" irr coll_irr_alltoall_algorithm=aapc "coll_irr_$setting"
done
check_groups 7 "$program"
check "host on some ranks, aapc on the others" divided aapc coll_irr_alltoall_algorithm=host "is host on some ranks"
check "host on some ranks, that of MPI_Alltoallv on the others" divided a1 coll_irr_alltoall_algorithm=host "is host on some ranks"
check "auto on some ranks, aapc on the others" divided auto coll_irr_alltoall_algorithm=aapc \
    "is auto and coll_irr_setup_share is 0 on some ranks"
check "an info key on some ranks, while the others choose" waits
check "a1 on some ranks, ac on the others" divided a1 coll_irr_alltoall_algorithm=ac "coll_irr_alltoall_algorithm is a1 on rank 0 .* and ac on rank 2"
check "verbose says who serves it" \
    says "MPI_Alltoall, 2 ranks on 1 node: lp, because coll_irr_alltoall_algorithm is lp" \
    ranks 2 --mca coll_irr_verbose 1 "$program" irr coll_irr_alltoall_algorithm=lp
check "verbose says what auto is" \
    says "2 ranks on 1 node: a1, because coll_irr_alltoallv_algorithm is auto and there is a schedule file" \
    ranks 2 --mca coll_irr_verbose 1 "$program" irr coll_irr_alltoallv_algorithm=auto "$with_schedule" \
    coll_irr_alltoall_algorithm=auto
exit $failed
