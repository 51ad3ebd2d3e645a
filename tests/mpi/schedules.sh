#!/bin/sh
# schedules.sh - count matrices of running applications.
. "${srcdir:-.}/tests/mpi/lib.sh"

# dumped ALGORITHM: the file of a communicator has the matrix of the pattern, once, and a second run has files of its
# own.
dumped() {
    prefix=$scratch/dump-$1
    "$builddir/irr_matrix" generate random --ranks 6 --unit 100 --seed 7 | grep -v '^% ' > "$scratch/wanted"
    for run in 1 2; do
        ranks 6 --mca coll_irr_matrix_dump "$prefix" "$builddir/irr_bench" --pattern random --unit 100 --seed 7 \
            --algorithms "$1" -i 3 -x 1 || return 1
        [ "$(ls "$prefix"* | wc -l)" -eq $run ] || return 1
        for file in "$prefix"*; do
            grep -v '^% ' "$file" | cmp - "$scratch/wanted" || return 1
        done
    done
}

# A folder that does not exist: told once, and the run is right.
not_dumped() {
    ranks 6 --mca coll_irr_matrix_dump "$scratch/none/dump" "$builddir/irr_bench" --pattern random --unit 100 \
        --algorithms rs_nh -i 3 -x 1 > "$scratch/run" 2>&1 || return 1
    cat "$scratch/run"
    [ "$(grep -c 'cannot be written' "$scratch/run")" -eq 1 ]
}

plan 4
for algorithm in a1 a3 optimal; do
    check "the matrices of $algorithm are dumped" dumped $algorithm
done
check "a dump that cannot be written" not_dumped
exit $failed
