#!/bin/sh
# tune.sh - irr_tune prints and writes a machine file, and refuses bad input with one line.
LIMIT=60
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
tune=${builddir:-.}/irr_tune
export OMPI_MCA_odls_base_sigkill_timeout=0

# run RANKS ARGUMENT...: runs irr_tune; stores its exit status in $status and the lines of all ranks in $scratch/out.
run() {
    n=$1
    shift
    tagged "$n" "$tune" "$@"
    sed -n 's/^<std[a-z]*>://p' "$scratch/out" > "$scratch/lines"
    mv "$scratch/lines" "$scratch/out"
}

# refused NAME STATUS TEXT RANKS ARGUMENT...: irr_tune ends with STATUS and prints one line, which begins with TEXT.
refused() {
    name=$1
    wanted=$2
    text=$3
    shift 3
    run "$@"
    [ $status -eq "$wanted" ] && [ "$(grep -c . "$scratch/out")" -eq 1 ] && grep -q "^irr_tune: $text" "$scratch/out"
    report $? "$name"
}

# reads FILE: irr_plan accepts the file as a machine file.
reads() { "${builddir:-.}/irr_plan" recommend --ranks 4 --machine "$1" > "$scratch/plan" 2>&1; }

# measured CONSTANT...: the last run measured exactly these constants.
measured() {
    awk '!/^#/ && !/the default,/ { print $1 }' "$scratch/out" > "$scratch/measured"
    echo "$@" | tr ' ' '\n' | cmp -s - "$scratch/measured"
}

plan 26
run 4 --seconds 2 --output "$scratch/machine"
[ $status -eq 0 ] && measured copy node_message node_latency piece
report $? "four ranks on a node measure the four constants of a node"
cmp -s "$scratch/out" "$scratch/machine" && reads "$scratch/machine"
report $? "the file equals the output, and irr_plan reads the file"
# A constant that varies by more than 50 % has its default in the file.
awk '/^#/ || /the default,/ { next }
    /the default; measured [0-9]+, not trusted: .* spread ([0-9]+|inf)%$/ { sub(/%$/, ""); if ($NF + 0 <= 50 && $NF != "inf") bad = 1; next }
    { sub(/%/, "", $6); if ($3 != "#" || $6 + 0 > 50) bad = 1 }
    END { exit bad }' "$scratch/machine"
report $? "no constant is written with a spread above 50 %"
[ "$(grep -c 'the default, as all ranks are on one node' "$scratch/out")" -eq 3 ]
report $? "constants between nodes have their defaults, marked as defaults"
printf 'old\n%1000s\n' x > "$scratch/old"
run 2 -s 1 -o "$scratch/old"
[ $status -eq 0 ] && cmp -s "$scratch/out" "$scratch/old" && reads "$scratch/old"
report $? "irr_tune overwrites a longer file"
run 3 -s 1 -o /dev/null
[ $status -eq 0 ] && [ -c /dev/null ]
report $? "output to a device"
run 2 -s 1 -o /dev/full
[ $status -eq 1 ] && grep -q '^irr_tune: /dev/full: No space left on device' "$scratch/out"
report $? "output to a full device"
run 2 --help all
[ $status -eq 0 ] && [ "$(grep -c '^Usage:' "$scratch/out")" -eq 1 ] && grep -q '^  node_latency' "$scratch/out"
report $? "only one rank prints the help"
run 2 --version
[ $status -eq 0 ] && [ "$(grep -c . "$scratch/out")" -eq 1 ]
report $? "only one rank prints the version"

refused "one rank" 2 "needs two ranks or more, as in mpirun -np 8 irr_tune" 1
refused "output into a missing folder" 2 "$scratch/none/x: No such file or directory" 2 -o "$scratch/none/x"
refused "output to a folder" 2 "$scratch: Is a directory" 2 -o "$scratch"
mkfifo "$scratch/pipe"
refused "output to a pipe without a reader" 2 "$scratch/pipe: is a pipe without a reader" 2 -o "$scratch/pipe"
refused "--show of a pipe" 2 "$scratch/pipe: is a pipe; only a regular file is read" 2 --show "$scratch/pipe"
cat "$scratch/pipe" > "$scratch/piped" &
reader=$!
exec 3> "$scratch/pipe"
run 2 -s 1 -o "$scratch/pipe"
exec 3>&-
wait $reader
[ $status -eq 0 ] && cmp -s "$scratch/out" "$scratch/piped"
report $? "output to a pipe with a reader"
refused "zero seconds" 2 "--seconds '0' is not an integer from 1 to 50" 2 --seconds 0
refused "more than the longest time" 2 "--seconds '61' is not an integer from 1 to 50" 2 --seconds 61
refused "an unknown option" 2 "unknown option '--fast'" 2 --fast
refused "an option without its value" 2 "option '--output' needs a value" 2 --output
refused "an argument without an option" 2 "unexpected argument 'machine.conf'" 2 machine.conf

# ---- --learn ----
# lib.sh names an algorithm, with which there would be no trials.
unset OMPI_MCA_coll_irr_alltoallv_algorithm
refused "--learn without a memory file" 2 "--learn needs coll/irr and a memory file" 2 --learn x.mtx
export OMPI_MCA_coll_irr_memory_file="$scratch/memory"
refused "--learn without a matrix" 2 "--learn needs the files of count matrices" 2 --learn
"${builddir:-.}/irr_matrix" generate uniform --ranks 4 --unit 4k -o "$scratch/four.mtx"
"${builddir:-.}/irr_matrix" generate spike --ranks 4 --unit 64 -o "$scratch/spike.mtx"
refused "--learn from a matrix for 4 ranks in a job of 2" 2 "$scratch/four.mtx: matrix has 4 rows, the job has 2:" \
    2 --learn "$scratch/four.mtx"
refused "--learn from a pipe" 2 "$scratch/pipe: is a pipe; only a regular file is read" 2 --learn "$scratch/pipe"
run 4 --seconds 2 --learn "$scratch/four.mtx" "$scratch/spike.mtx"
[ $status -eq 0 ] && [ "$(grep -c ' exchanges in [0-9.]* s$' "$scratch/out")" -eq 2 ]
report $? "--learn from two matrices reports the exchanges of each matrix"
"$tune" --show "$scratch/memory" > "$scratch/out" && grep -q '^MPI_Alltoallv  *4  *4 .* 4K ' "$scratch/out"
report $? "--learn writes the memory file"
exit $failed
