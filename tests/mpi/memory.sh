#!/bin/sh
# memory.sh - coll_irr_memory_file: a job reuses the results of trials of earlier jobs, and ignores a bad file.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
export OMPI_MCA_coll_irr_alltoallv_algorithm=auto OMPI_MCA_coll_irr_setup_share=1000
program=$builddir/mpi_faults
file=$scratch/memory

# A job of 4 ranks writes the memory file from which the cases derive theirs.
ranks 4 --mca coll_irr_memory_file "$file" "$program" short_lived:60 > "$scratch/run" 2>&1
first=$?

# with STRATEGY: writes a file in which this strategy is 2.5 times as fast as Open MPI for the exchanges of the program.
with() {
    { sed -n '1,2p' "$file" && sed -n '/^situation MPI_Alltoallv 4 /{p;q}' "$file"; } > "$scratch/$1"
    printf 'lived 1 4000\nstrategy 4 2500 10 %s\nend 1\n' "$1" >> "$scratch/$1"
}

# uses FILE COMMAND...: runs 4 ranks with this memory file; rank 0 prints the strategies that serve.
uses() {
    given=$1
    shift
    shown ranks 4 --mca coll_irr_verbose 1 --mca coll_irr_memory_file "$given" "$@"
}

recalls() {
    with "$1" && uses "$scratch/$1" "$program" short_lived:60 &&
        grep -q ": $1, because it had speedup 2.[45][0-9] at least in earlier trials" "$scratch/run"
}

# refuses TEXT FILE: the job succeeds, one user message says why it ignores the file, and the file stays unchanged.
refuses() {
    cp "$2" "$scratch/before"
    uses "$2" "$program" short_lived:60 && ! grep -m 1 "because" "$scratch/run" | grep -q "earlier trials" &&
        [ "$(lines '^coll/irr: ')" -eq 1 ] && flat | grep -q "$1" &&
        cmp "$2" "$scratch/before"
}

written() {
    [ $first -eq 0 ] && cat "$scratch/run" "$file" && [ "$(head -n 1 "$file")" = "coll_irr memory 2" ] &&
        grep -q '^situation MPI_Alltoallv 4 4 ' "$file" && grep -q '^strategy ' "$file" && grep -q '^end ' "$file"
}

# Two concurrent jobs write to one file, which then has the results of both.
together() {
    rm -f "$scratch/both"
    uses "$scratch/both" "$program" short_lived:60 &
    one=$!
    ranks 3 --mca coll_irr_memory_file "$scratch/both" "$program" short_lived:60 > "$scratch/other" 2>&1
    other=$?
    wait $one && [ $other -eq 0 ] && cat "$scratch/both" && grep -q '^situation MPI_Alltoallv 4 ' "$scratch/both" &&
        grep -q '^situation MPI_Alltoallv 3 ' "$scratch/both"
}

# If the files of ranks have different results, no rank uses the results.  Trials of the job itself never find a speedup
# of 20, which is in one of the files.
differs() {
    with direct && sed 's/ 2500 / 20000 /' "$scratch/direct" > "$scratch/fast" && : > "$scratch/empty" &&
        uses "$scratch/fast" "$program" turns && grep -q "$twenty" "$scratch/run" &&
        shown ranks 4 --mca coll_irr_verbose 1 "$divide" 2 env OMPI_MCA_coll_irr_memory_file="$scratch/fast" "$program" turns \
            else env OMPI_MCA_coll_irr_memory_file="$scratch/empty" "$program" turns &&
        [ "$(lines "$twenty")" -eq 0 ]
}
twenty='speedup \(19\|20\)[.][0-9]* at least in earlier trials'

some() {
    shown on_some_ranks OMPI_MCA_coll_irr_memory_file="$file" "$program" turns &&
        flat | grep -q "rank 2 of MPI_COMM_WORLD and rank [0-9]* differ in an .* or a coll_irr_memory_file"
}

tune_shows() {
    "$builddir/irr_tune" --show "$file" > "$scratch/shown" && cat "$scratch/shown" &&
        grep -q '^MPI_Alltoallv  *4  *4 ' "$scratch/shown"
}

# Trials of the strategies of tree do not compare them with Open MPI, so the job writes no file.
named() {
    uses "$scratch/named" --mca coll_irr_alltoallv_algorithm tree --mca coll_irr_ranks_per_node 2 "$program" turns &&
        grep -q '; tried ' "$scratch/run" && [ ! -e "$scratch/named" ]
}

plan 12
check "a job writes a memory file" written
check "irr_tune shows the memory file" tune_shows
check "a job uses the strategy that an earlier job found" recalls direct
head -n 3 "$file" > "$scratch/cut"
sed 's/^machine .*/machine of somebody else/' "$file" > "$scratch/other_machine"
sed 's/^strategy .*/strategy 99 1 1 direct/' "$file" > "$scratch/lies"
check "a truncated file" refuses "it has no end" "$scratch/cut"
check "a file of another machine" refuses "another machine: 'of somebody else'" "$scratch/other_machine"
check "a file with impossible numbers" refuses "line [0-9]*: trials" "$scratch/lies"
check "a file in a missing folder" uses "$scratch/nowhere/memory" "$program" short_lived:60
check "two concurrent jobs with one file" together
check "ranks with different files" differs
check "a file on two of four ranks" some
check "a job of nonblocking calls with a memory file" ranks 2 --mca coll_irr_memory_file "$scratch/nonblocking" "$builddir/mpi_calls" types
OMPI_MCA_coll_irr_setup_share=1000000000
check "trials of the strategies of tree write no file" named
exit $failed
