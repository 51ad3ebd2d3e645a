#!/bin/sh
# bench_input.sh - irr_bench refuses bad input with one line and exit status 2 on all ranks, and never hangs.
#
# The environment variable BENCH can name another irr_bench than that of this build.

srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
BENCH=${BENCH:-${builddir:-.}/irr_bench}
preload=

# After a failure mpirun waits a second until the ranks end, but the ranks of irr_bench have ended already.
export OMPI_MCA_odls_base_sigkill_timeout=0

# bench RANKS ARGUMENT...: runs irr_bench, stores its exit status in $status and all output in $scratch/out, where
# <stdout>: or <stderr>: marks lines of ranks, but not lines of mpirun.
bench() {
    n=$1
    shift
    # shellcheck disable=SC2086
    tagged "$n" $preload "$BENCH" "$@"
}

# out_lines TEXT: prints the number of lines of $scratch/out that have the text.
out_lines() {
    grep -c -e "$1" "$scratch/out"
}

# refused NAME TEXT ARGUMENT...: one line on stderr, which starts with TEXT, nothing on stdout, exit status 2.
refused() { apart refuse "$@"; }
refuse() {
    name=$1
    text=$2
    shift 2
    bench 2 "$@"
    [ $status -eq 2 ] && [ "$(out_lines '<stdout>')" -eq 0 ] && [ "$(out_lines '<stderr>')" -eq 1 ] &&
        grep -q -F "<stderr>:irr_bench: $text" "$scratch/out"
    report $? "$name"
}

# accepted NAME RANKS ROWS ARGUMENT...: exit status 0, nothing on stderr, ROWS verified rows.
accepted() { apart accept "$@"; }
accept() {
    name=$1
    n=$2
    rows=$3
    shift 3
    bench "$n" "$@"
    [ $status -eq 0 ] && [ "$(out_lines '<stderr>')" -eq 0 ] && [ "$(out_lines ' yes$')" -eq "$rows" ]
    report $? "$name"
}

# flip ROUND ARGUMENT...: runs a job in which rank 0 receives a wrong byte in exchange number ROUND.
flip() {
    preload="env FLIP=$1 LD_PRELOAD=$scratch/flip.so"
    shift
    bench 2 --algorithms host -x 1 -i 2 "$@"
    preload=
}

# flipped ROUND ARGUMENT...: a user message names the wrong byte and its round, and the exit status is 1.
flipped() {
    flip "$@"
    [ $status -eq 1 ] && [ "$(out_lines "wrong byte with host: rank 0, message from rank 0, offset 0: .*, in round $1\$")" -eq 1 ]
}

# unseen ROUND VERIFIED TEXT ARGUMENT...: irr_bench does not detect the wrong byte; TEXT in its header says why.
unseen() {
    call=$1
    verified=$2
    text=$3
    shift 3
    flip "$call" "$@"
    [ $status -eq 0 ] && [ "$(out_lines " $verified\$")" -eq 1 ] && [ "$(out_lines "$text")" -eq 1 ]
}

# columns RANKS ARGUMENT...: runs host and direct, and stores the names of the columns between MB/s and verified.
columns() {
    n=$1
    shift
    bench "$n" --algorithms host,direct -i 3 "$@"
    columns=$(sed -n 's/.*# algorithm .* MB.s \(.*\) verified$/\1/p' "$scratch/out" | xargs)
}

# aligned: the header and both rows have equal lengths and equal numbers of words.
aligned() {
    sed -n 's/^[^:]*:\(# algorithm.*\|  .*\)$/\1/p' "$scratch/out" | sed 's/^# /  /' |
        awk '{ print NF, length }' | uniq -c | grep -q '^ *3 '
}

# json_has COUNTER...: $scratch/result.json has exactly these counters, null for host and numbers in the other row.
json_has() {
    sed -n '/"counters": {/,/}/p' "$scratch/result.json" | grep -v '[{}]' > "$scratch/counters"
    for counter; do
        [ "$(grep -c "\"$counter\": null" "$scratch/counters")" -eq 1 ] || return 1
        [ "$(grep -c "\"$counter\": [0-9]" "$scratch/counters")" -eq 1 ] || return 1
    done
    [ "$(grep -c . "$scratch/counters")" -eq $((2 * $#)) ]
}

# file NAME LINE...: writes a matrix file of a correct header and these lines to $scratch/NAME.
file() {
    name=$scratch/$1
    shift
    printf '%s\n' '%%MatrixMarket matrix coordinate integer general' "$@" > "$name"
}

plan 124

# ---- files ----

file ranks3 '3 3 0'
file negative '% a comment' '2 2 1' '1 2 -5'
file large '2 2 1' '1 2 3000000000'
file sum '2 2 2' '1 1 2000000000' '1 2 2000000000'
file lopsided '2 2 2' '1 2 5' '2 1 6'
file ranks2 '2 2 2' '1 2 5' '2 1 5'
file inside '2 2 3' '1 1 3000000000' '1 2 5' '2 1 5'

refused "a missing matrix file" "$scratch/none: No such file" --matrix "$scratch/none"
mkfifo "$scratch/pipe"
refused "a matrix file that is a pipe" "$scratch/pipe: is a pipe; only a regular file is read" --matrix "$scratch/pipe"
refused "results into a pipe without a reader" "$scratch/pipe: is a pipe without a reader" --json "$scratch/pipe"
kept_results() {
    echo earlier > "$scratch/kept.json" && bench 2 -i 2 --json "$scratch/kept.json" --csv "$scratch/none/x"
    [ $status -eq 2 ] && [ "$(cat "$scratch/kept.json")" = earlier ] && [ ! -e "$scratch/kept.json.part" ]
}
check "results of an earlier run stay if another output is refused" kept_results
full_results() {
    bench 2 -i 2 --json /dev/full
    [ $status -eq 1 ] && grep -q '<stderr>:irr_bench: /dev/full: No space left on device$' "$scratch/out"
}
check "results on a full disk" full_results
refused "a matrix for 3 ranks in a job of 2" "$scratch/ranks3: matrix has 3 rows, the job has 2" --matrix "$scratch/ranks3"
refused "a negative entry" "$scratch/negative:4: entry '-5' is not an integer" --matrix "$scratch/negative"
refused "a matrix entry above the largest int" "$scratch/large: entry (1, 2) is 3000000000 bytes" --matrix "$scratch/large"
refused "a row whose sum is above the largest int" "$scratch/sum: the sum of row 1 is 4000000000 bytes" --matrix "$scratch/sum"
refused "a scale that is too large" "$scratch/large: entry (1, 2) is 18446744073709551615 bytes; MPI" \
    --matrix "$scratch/large" --scale 1e300

# ---- names and numbers ----

refused "an unknown pattern" "unknown pattern 'stripes', known are uniform, spike" --pattern stripes
refused "an unknown algorithm" "unknown algorithm 'direkt', known are host, p2p, auto" --algorithms host,direkt
refused "an empty algorithm" "unknown algorithm '', known are" --algorithms host,
refused "a unit without a number" "--unit 'k' is not an integer" --unit k
refused "a unit that overflows" "pattern next overflows 64 bits" --pattern next --unit 9223372036854775807
refused "a unit above the largest int" "uniform: entry (1, 1) is 4294967296 bytes" --unit 4294967296
refused "a sweep that ends above the largest int" "next: entry (1, 2) is " --pattern next -m 1:1000000000
refused "a sweep whose end is below its begin" "--sweep '8:4' is not MIN:MAX" -m 8:4
refused "zero iterations" "--iterations '0' is not an integer from 1" -i 0
refused "negative warm-up" "--warmup '-1' is not an integer from 0" -x -1
refused "a scale of zero" "--scale '0' is not a number above 0" --scale 0

refused "an unknown counter" "unknown counter 'bytes', known are all, exchanges, messages_sent" --columns bytes
refused "an empty counter" "unknown counter '', known are all, exchanges" --columns steps,

# ---- options ----

refused "an unknown option" "unknown option '--fast'" --fast
refused "an unknown letter of an option" "unknown option '-q'" -q
refused "an option without its value" "option '--unit' needs a value" --unit
refused "an argument without an option" "unexpected argument 'airfoil.mtx'" airfoil.mtx
refused "both a matrix and a pattern" "--matrix and --pattern exclude each other" --matrix x.mtx --pattern next
refused "unequal blocks for MPI_Alltoall" "next: entry (1, 2) is " --alltoall --pattern next
refused "a matrix of unequal entries for MPI_Alltoall" "$scratch/ranks2: entry (1, 2) is 5 bytes and entry (1, 1) is 0: with --alltoall all" \
    --alltoall --matrix "$scratch/ranks2"
refused "persistent MPI_Alltoall" "--alltoall and --persistent exclude each other" --persistent --alltoall
refused "changing partners among neighbours" "--loop partners and --neighbor exclude each other" --loop partners --neighbor cart:2
refused "new lengths among neighbours" "--loop new and --neighbor exclude each other" --loop new --neighbor cart:2
refused "a malformed datatype" "--datatype 'vector:8' is not vector:N:STRIDE" --datatype vector:8
refused "blocks that do not divide into the pieces of a datatype" "uniform: entries are 100 bytes, which are not 8 equal pieces" \
    --datatype vector:8:4 --unit 100
refused "a stride above the largest int" "uniform: with --datatype the blocks of a rank extend over " \
    --datatype vector:1:1048576 --unit 65536
refused "an unknown topology of neighbours" "--neighbor 'cart:4' is none of cart:2, cart:3 and graph:K" --neighbor cart:4
refused "both a matrix and neighbours" "--matrix and --neighbor exclude each other" --neighbor cart:2 --matrix x.mtx
refused "two groups with an empty second group" "--inter '2' leaves no rank for the second group; the job has 2 ranks" \
    --inter 2
refused "two groups with an empty first group" "--inter '0' is not an integer from 1" --inter 0
refused "both neighbours and two groups" "--neighbor and --inter exclude each other" --inter 1 --neighbor cart:2
refused "two groups in place, which MPI does not define" "--inter and --in-place exclude each other" --inter 1 --in-place
refused "in place with unequal counts in the two directions" \
    "$scratch/lopsided: entry (1, 2) is 5 bytes and entry (2, 1) is 6: with --in-place both must be equal" \
    --in-place --matrix "$scratch/lopsided"
refused "persistent requests in place" "--persistent and --in-place exclude each other" --in-place --persistent
refused "algorithm p2p, persistent" "--algorithms p2p and --persistent exclude each other" --algorithms p2p --persistent
refused "algorithm p2p in place" "--algorithms p2p and --in-place exclude each other" --algorithms direct,p2p --in-place
refused "a result file that cannot be written" "$scratch/none/x.json: No such file" --json "$scratch/none/x.json"

# ---- good input ----

accepted "the matrix of a mesh" 8 2 --matrix "$srcdir/tests/data/airfoil-8.mtx" -i 5 -x 1
accepted "a matrix with a large entry, scaled down" 2 2 --matrix "$scratch/large" --scale 0.0001 -i 2 -x 0
accepted "a sweep" 2 3 --algorithms host -m 0016:64 -i 2 -x 0
accepted "a sweep with suffixes" 2 2 --algorithms host -m 1k:2k -i 2 -x 0
accepted "a sweep without an end" 2 3 --algorithms host -m 256k: -i 2 -x 0
refused "a sweep that begins above its default end" "--sweep '2m:' is not MIN:MAX" -m 2m:
bench 2 --algorithms host,direct -i 3 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/result.csv")" -eq 3 ] &&
    awk -F , 'NF != 19 || (NR > 1 && ($2 != (NR == 2 ? "host" : "direct") || $5 <= 0 || $14 != "yes")) { bad = 1 }
        END { exit bad }' "$scratch/result.csv"
report $? "results as comma-separated values"
# The table and the file have the same interval, which contains the ratio.  The rate is Lmax divided by the median time.
bench 2 --algorithms host,host,direct,grid -i 20 --csv "$scratch/result.csv"
[ $status -eq 0 ] && awk -F , 'NR == 2 && $17 $18 != "" { bad = 1 }
    NR > 1 && ($19 - $13 / $5) ^ 2 > 0.01 * ($13 / $5) ^ 2 { bad = 1 }
    NR > 2 { if ($17 > $11 || $18 < $11) bad = 1
        print ($17 <= 1 && $18 >= 1 ? "no-difference" : sprintf("%.2f-%.2f", $17, $18)) }
    END { exit bad }' "$scratch/result.csv" > "$scratch/intervals" &&
    sed -n 's/^<stdout>:  //p' "$scratch/out" | awk 'NR > 1 { print $6 }' | cmp "$scratch/intervals" -
report $? "the interval contains the ratio, and the rate is consistent with the time"
# The times of 10,000,000 iterations need 1.36 GB, more than the limit of ulimit.
four=host,host,host,host
(ulimit -v 1200000 && ranks 1 "$BENCH" --algorithms $four,$four,$four,$four -i 10000000 --json "$scratch/empty.json") \
    > "$scratch/out" 2>&1
[ $? -eq 1 ] && [ "$(out_lines 'not enough memory for the times')" -eq 1 ] && [ ! -e "$scratch/empty.json" ]
report $? "too little memory for the times of all iterations"
"$BENCH" > "$scratch/out" 2>&1
[ $? -eq 2 ] && [ "$(out_lines '^irr_bench: no launcher has started')" -eq 1 ] &&
    [ "$(wc -l < "$scratch/out")" -eq 1 ]
report $? "a start without mpirun"
accepted "one rank" 1 1 --pattern skewed --algorithms host -i 2 -x 0
accepted "blocks of zero bytes" 3 1 --unit 0 --algorithms host -i 2 -x 0
accepted "a transposition" 4 2 --datatype vector:8:4 --unit 512 -i 3 -x 0
accepted "blocks with fewer pieces than there are ranks" 5 2 --datatype vector:3:2 --unit 6 -i 3 -x 0
accepted "a grid of neighbours" 6 2 --neighbor cart:2 --unit 100 -i 3 -x 0
accepted "a grid of neighbours with sides of one and two ranks" 2 2 --neighbor cart:3 --unit 100 -i 3 -x 0
accepted "a graph with more neighbours than ranks" 3 2 --neighbor graph:7 --unit 8 -i 3 -x 0
accepted "two groups" 5 3 --inter 2 --unit 100 --algorithms host,direct,natural -i 3 -x 0
accepted "two groups, of a matrix with entries within a group" 2 2 --inter 1 --matrix "$scratch/inside" -i 3 -x 0
accepted "MPI_Alltoall between groups of one and three ranks" 4 2 --inter 1 --alltoall --unit 100 -i 3 -x 0
accepted "a transposition between groups" 5 2 --inter 3 --datatype vector:4:2 --unit 64 -i 3 -x 0
accepted "two groups, nonblocking" 3 2 --inter 1 --overlap --unit 64 -i 3 -x 0
accepted "two groups, persistent" 3 4 --inter 2 --persistent --unit 64 -i 3 -x 0
accepted "in place" 4 3 --in-place --pattern uniform --unit 300k --algorithms host,direct,natural -i 3 -x 0
accepted "a symmetric matrix in place" 2 2 --in-place --matrix "$scratch/ranks2" -i 3 -x 0
accepted "in place, MPI_Alltoall" 3 2 --in-place --alltoall --unit 100 -i 3 -x 0
accepted "a transposition in place" 4 2 --in-place --datatype vector:8:4 --unit 512 -i 3 -x 0
accepted "p2p: empty blocks" 5 2 --pattern sparse --unit 64 --algorithms host,p2p -i 3 -x 0
accepted "p2p: a rank that is a neighbour twice" 3 2 --neighbor graph:7 --unit 8 --algorithms host,p2p -i 3 -x 0
accepted "p2p: two groups" 5 2 --inter 2 --unit 100 --algorithms host,p2p -i 3 -x 0
accepted "p2p: a transposition" 5 2 --datatype vector:3:2 --unit 6 --algorithms host,p2p -i 3 -x 0
accepted "p2p: beside a computation" 4 2 --overlap --tests 3 --unit 64 --algorithms host,p2p -i 3 -x 0
accepted "help" 2 0 --help
bench 2 --algorithms host -i 3 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(grep -c '"verified": true' "$scratch/result.json")" -eq 1 ]
report $? "results as JSON"

# ---- wrong bytes ----

# Round 1 is verified, round 2 is the warm-up, rounds 3 and 4 are iterations, and round 5 is verified.
"$OMPI_MPICC" -shared -fPIC -o "$scratch/flip.so" "$srcdir/tests/mpi/flip.c"
flipped 1
report $? "a wrong byte before the warm-up"
flipped 5
report $? "a wrong byte after the iterations"
flipped 2 -c
report $? "a wrong byte in an iteration, if option -c compares every round"
unseen 3 yes "; bytes compared before and after"
report $? "iterations are not compared, which would cool the caches"
unseen 1 - "nothing compared" --no-check
report $? "--no-check compares no byte"

flip 5 --algorithms p2p
[ $status -eq 1 ] && [ "$(out_lines 'wrong byte with p2p: rank 0, message from rank 0, offset 0: .*, in round 5$')" -eq 1 ]
report $? "a wrong byte of p2p"
flipped 1 --in-place
report $? "a wrong byte in place"
flip 1 --inter 1
[ $status -eq 1 ] && [ "$(out_lines 'wrong byte with host: rank 0, message from rank 1, offset 0: .*, in round 1$')" -eq 1 ]
report $? "a wrong byte from the other group"

# ---- two groups, and in place ----

bench 3 --inter 1 -i 2 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ': MPI_Alltoallv, ranks: 3, groups of 1 and 2 ranks,')" -eq 1 ] &&
    grep -q '"first_group": 1,' "$scratch/result.json" && grep -q '"in_place": false' "$scratch/result.json" &&
    cp "$scratch/result.json" "$scratch/groups.json"
report $? "two groups in the table and as JSON"
[ "$(out_lines 'messages: 4, bytes in all: 4096,')" -eq 1 ]
report $? "only messages between the two groups count"
bench 2 --in-place -i 2 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ': MPI_Alltoallv, ranks: 2, in place,')" -eq 1 ] &&
    grep -q '"first_group": null,' "$scratch/result.json" && grep -q '"in_place": true' "$scratch/result.json"
report $? "in place in the table and as JSON"

# ---- charts ----

# chart NAME JSON: draws the chart of a file into $scratch/NAME.svg, which is well-formed XML.
chart() {
    python3 "$srcdir/contrib/irr_chart" "$2" -o "$scratch/$1.svg" > "$scratch/out" 2>&1 &&
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/$1.svg"
}

# texts NAME CLASS: prints the texts of a class in a chart, in one line.
texts() {
    sed -n "s/.*class=\"$2\".*>\(.*\)<.text>.*/\1/p" "$scratch/$1.svg" | xargs
}

lines_of_a_sweep() {
    bench 2 --algorithms host,direct,grid -m 512:2k -i 3 --json "$scratch/result.json"
    [ $status -eq 0 ] && chart sweep "$scratch/result.json" &&
        [ "$(grep -c 'class="curve" points=' "$scratch/sweep.svg")" -eq 5 ] &&
        [ "$(grep -c 'class="spread"' "$scratch/sweep.svg")" -eq 9 ] &&
        [ "$(grep -c '<title>\(direct\|grid\), unit [0-9]*: host/this [0-9]' "$scratch/sweep.svg")" -eq 6 ] &&
        [ "$(texts sweep 'middle unit')" = '512 1k 2k' ] && [ "$(texts sweep name)" = 'host direct grid' ]
}

times_alone() {
    bench 2 --algorithms direct,grid -m 8:16 -i 3 --json "$scratch/result.json"
    [ $status -eq 0 ] && chart sweep "$scratch/result.json" &&
        [ "$(grep -c 'class="curve" points=' "$scratch/sweep.svg")" -eq 2 ] &&
        grep -q 'No host/this, because host is not among the algorithms' "$scratch/sweep.svg"
}

bars_of_a_unit() {
    bench 2 --algorithms host,auto,direct -i 3 --datatype vector:8:4 --unit 64 --json "$scratch/result.json"
    [ $status -eq 0 ] && chart bars "$scratch/result.json" &&
        [ "$(grep -c 'class="bar"' "$scratch/bars.svg")" -eq 3 ] && grep -q '>auto(host)<' "$scratch/bars.svg" &&
        grep -q ', unit 64 bytes, seed 1, datatype vector:8:4; 3 iterations after 10' "$scratch/bars.svg"
}

chart_of_groups() {
    chart groups "$scratch/groups.json" &&
        grep -q 'MPI_Alltoallv, 3 ranks, groups of 1 and 2 ranks' "$scratch/groups.svg"
}

# no_chart TEXT ARGUMENT...: one line, which begins with the text, exit status 1.
no_chart() {
    text=$1
    shift
    ! python3 "$srcdir/contrib/irr_chart" "$@" > "$scratch/out" 2>&1 && [ "$(wc -l < "$scratch/out")" -eq 1 ] &&
        grep -q -F "irr_chart: $text" "$scratch/out"
}

# checked NAME COMMAND...: check, skipped without Python.
checked() {
    if command -v python3 > /dev/null; then
        check "$@"
    else
        skip "$1" "there is no python3"
    fi
}

checked "a sweep as lines: times with their spread, and host/this" lines_of_a_sweep
checked "a sweep without host has times, but no host/this" times_alone
checked "one unit as bars, with the names of the table" bars_of_a_unit
checked "a chart of two groups" chart_of_groups
echo '{"program": "irr_bench", "results": []}' > "$scratch/empty.json"
checked "a chart of results without rows" no_chart "$scratch/empty.json: no row was measured" "$scratch/empty.json"
echo '{"results": [{"rows": 1}]}' > "$scratch/other.json"
checked "a chart of a file that is no JSON" no_chart "$scratch/ranks2 is no JSON file of irr_bench" "$scratch/ranks2"
checked "a chart of another program's JSON" no_chart "$scratch/other.json is no JSON file of irr_bench" "$scratch/other.json"
checked "a chart of a missing file" no_chart "$scratch/none.json: No such file" "$scratch/none.json"
checked "a chart that cannot be written" no_chart "$scratch/none/x.svg: No such file" "$scratch/groups.json" \
    -o "$scratch/none/x.svg"

# ---- MPI_Alltoall ----

bench 4 --alltoall --algorithms host,direct,grid,tree -i 5 --unit 1000 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 4 ] && [ "$(out_lines '(host)')" -eq 0 ] && [ "$(out_lines '(irr)')" -eq 0 ] &&
    [ "$(out_lines '# irr_bench [^ ]*: MPI_Alltoall, ranks: 4')" -eq 1 ]
report $? "MPI_Alltoall, each row served by the algorithm that it names"
[ "$(grep -c '"call": "MPI_Alltoall"' "$scratch/result.json")" -eq 1 ] &&
    [ "$(grep -c '"served_by": "irr"' "$scratch/result.json")" -eq 3 ]
report $? "MPI_Alltoall as JSON"
bench 4 -i 2
[ $status -eq 0 ] && [ "$(out_lines '# irr_bench [^ ]*: MPI_Alltoallv, ranks: 4')" -eq 1 ]
report $? "MPI_Alltoallv by default"
[ "$(out_lines ' host .* yes$')" -eq 1 ] && [ "$(out_lines ' direct .* yes$')" -eq 1 ]
report $? "the default algorithms are host and direct"
bench 4 --algorithms auto -i 2
[ $status -eq 0 ] && [ "$(out_lines ' auto(host) .* yes$')" -eq 1 ] && [ "$(out_lines 'rows marked (host)')" -eq 1 ]
report $? "a row of auto that Open MPI served is marked"
bench 4 --algorithms host,p2p -i 2 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(out_lines ' p2p .* - .* yes$')" -eq 1 ] && grep -q '^[^,]*,p2p,.*,host,' "$scratch/result.csv"
report $? "p2p is not served by coll/irr, and not marked"

# ---- persistent requests ----

bench 4 --persistent --algorithms host,direct,balanced-grid -i 5 --unit 100 --columns header_bytes --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 6 ] && [ "$(out_lines '(host)')" -eq 0 ] &&
    [ "$(out_lines ' \(direct\|balanced-grid\)-start .* 0 *yes$')" -eq 2 ] && [ "$(out_lines ' host-start .* - *yes$')" -eq 1 ] &&
    [ "$(out_lines 'host/this *interval start/this')" -eq 1 ]
report $? "--persistent adds a row for each algorithm, without headers of messages"
[ "$(grep -c '"persistent": true' "$scratch/result.json")" -eq 3 ] &&
    [ "$(grep -c '"host_start_ratio": [0-9]' "$scratch/result.json")" -eq 6 ]
report $? "persistent rows as JSON"

# ---- overlap ----

bench 4 --overlap --tests 3 --algorithms host,direct -i 5 --unit 4k --csv "$scratch/result.csv" \
    --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 2 ] && [ "$(out_lines '(host)')" -eq 0 ] &&
    [ "$(out_lines '# irr_bench [^ ]*: MPI_Ialltoallv, ranks: 4')" -eq 1 ] &&
    [ "$(out_lines 'with MPI_Test called 3 times')" -eq 1 ] && aligned
report $? "nonblocking calls beside computations, each row served by the algorithm that it names"
awk -F , 'NR > 1 && !($15 > 0 && $15 <= $5 && $16 >= 0 && $16 <= 1) { bad = 1 } END { exit bad || NR != 3 }' \
    "$scratch/result.csv" && [ "$(grep -c '"alone_us": \[' "$scratch/result.json")" -eq 2 ] && ! grep '_ms"' "$scratch/result.json"
report $? "times of an exchange alone and beside a computation"
for call in "--alltoall:MPI_Ialltoall" "--datatype vector:4:2:MPI_Ialltoallw" \
    "--neighbor graph:2:MPI_Ineighbor_alltoallv"; do
    # shellcheck disable=SC2086
    bench 4 --overlap --algorithms host,direct -i 3 --unit 64 ${call%:*}
    [ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 2 ] && [ "$(out_lines "# irr_bench [^ ]*: ${call##*:}, ranks: 4")" -eq 1 ]
    report $? "--overlap of ${call##*:}"
done
bench 4 --overlap --persistent --algorithms host,direct -i 3 --unit 64
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 4 ] && [ "$(out_lines '(host)')" -eq 0 ]
report $? "--overlap of persistent requests"
refused "--tests without an overlap" "--tests goes with --overlap only" --tests 3
refused "--compute without an overlap" "--compute goes with --overlap only" --compute 3
refused "--idle without an overlap" "--idle goes with --overlap only" --idle
bench 4 --overlap --idle --compute 50000 --algorithms host,direct -i 3 --unit 64 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(out_lines '# each beside a sleep of 50000 us, with MPI_Test called 0 times in it')" -eq 1 ]
report $? "--overlap with a sleep of a given length"
awk -F , 'NR > 1 && !($5 >= 50000 && $15 < 50000 && $16 >= 0 && $16 <= 1) { bad = 1 } END { exit bad || NR != 3 }' \
    "$scratch/result.csv"
report $? "each row sleeps for the given time, however long its exchange takes alone"

# ---- counters ----

columns 4 --columns header_bytes,messages_received,header_bytes
[ $status -eq 0 ] && [ "$columns" = "header_bytes messages_received" ] && aligned
report $? "the columns that --columns names, each once"
[ "$(out_lines ' host .* - *- *yes$')" -eq 1 ] && [ "$(out_lines ' direct .* [0-9]* *3 *yes$')" -eq 1 ]
report $? "host has no counters, direct receives a message from each other rank"

columns 2 --columns all --json "$scratch/result.json"
[ $status -eq 0 ] && [ "${columns%% *}" = exchanges ] && [ "$(echo "$columns" | wc -w)" -ge 10 ] && aligned
report $? "all columns"
json_has $columns
report $? "all counters in each row as JSON, null for host"

exit $failed
