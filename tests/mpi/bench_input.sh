#!/bin/sh
# bench_input.sh - irr_bench refuses bad input with one line and exit status 2 on all ranks, and hangs nowhere.
#
# BENCH is the program, irr_bench of this build unless the environment says otherwise.

srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
BENCH=${BENCH:-${builddir:-.}/irr_bench}
preload=

# mpirun leaves the ranks of a job that fails a second to end; ours have ended when it notices.
export OMPI_MCA_odls_base_sigkill_timeout=0

# bench RANKS ARGUMENT...: stores the exit status in $status and all output in $scratch/out, where lines of ranks are
# marked, so that they differ from those of mpirun.
bench() {
    n=$1
    shift
    # shellcheck disable=SC2086
    tagged "$n" $preload "$BENCH" "$@"
}

# out_lines TEXT: how many lines of the output have it.
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

# accepted NAME RANKS ROWS ARGUMENT...: exit status 0, nothing on stderr, that many verified rows.
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

# flip CALL ARGUMENT...: rank 0 finds a wrong byte after that exchange.
flip() {
    preload="env FLIP=$1 LD_PRELOAD=$scratch/flip.so"
    shift
    bench 2 --algorithms host -x 1 -i 2 "$@"
    preload=
}

# flipped CALL ARGUMENT...: a message names the wrong byte and its round, and the exit status is 1.
flipped() {
    flip "$@"
    [ $status -eq 1 ] && [ "$(out_lines "wrong byte with host: rank 0, message from rank 0, offset 0: .*, in round $1\$")" -eq 1 ]
}

# unseen CALL VERIFIED TEXT ARGUMENT...: the wrong byte is not detected, as the first lines say.
unseen() {
    call=$1
    verified=$2
    text=$3
    shift 3
    flip "$call" "$@"
    [ $status -eq 0 ] && [ "$(out_lines " $verified\$")" -eq 1 ] && [ "$(out_lines "$text")" -eq 1 ]
}

# columns RANKS ARGUMENT...: runs host and direct; the columns between MB/s and verified go to $columns.
columns() {
    n=$1
    shift
    bench "$n" --algorithms host,direct -i 3 "$@"
    columns=$(sed -n 's/.*# algorithm .* MB.s \(.*\) verified$/\1/p' "$scratch/out" | xargs)
}

# aligned: the header and both rows are as long as each other and have as many words.
aligned() {
    sed -n 's/^[^:]*:\(# algorithm.*\|  .*\)$/\1/p' "$scratch/out" | sed 's/^# /  /' |
        awk '{ print NF, length }' | uniq -c | grep -q '^ *3 '
}

# json_has COUNTER...: exactly these are in $scratch/result.json, null in one row and a number in the other.
json_has() {
    sed -n '/"counters": {/,/}/p' "$scratch/result.json" | grep -v '[{}]' > "$scratch/counters"
    for counter; do
        [ "$(grep -c "\"$counter\": null" "$scratch/counters")" -eq 1 ] || return 1
        [ "$(grep -c "\"$counter\": [0-9]" "$scratch/counters")" -eq 1 ] || return 1
    done
    [ "$(grep -c . "$scratch/counters")" -eq $((2 * $#)) ]
}

# file NAME LINE...: writes a matrix file, a good header and these lines, to $scratch/NAME.
file() {
    name=$scratch/$1
    shift
    printf '%s\n' '%%MatrixMarket matrix coordinate integer general' "$@" > "$name"
}

plan 120

# ---- files ----

file ranks3 '3 3 0'
file negative '% a comment' '2 2 1' '1 2 -5'
file large '2 2 1' '1 2 3000000000'
file sum '2 2 2' '1 1 2000000000' '1 2 2000000000'
file lopsided '2 2 2' '1 2 5' '2 1 6'
file ranks2 '2 2 2' '1 2 5' '2 1 5'
file inside '2 2 3' '1 1 3000000000' '1 2 5' '2 1 5'

refused "no file" "$scratch/none: No such file" --matrix "$scratch/none"
mkfifo "$scratch/pipe"
refused "a pipe" "$scratch/pipe: is a pipe; only a regular file is read" --matrix "$scratch/pipe"
refused "results in a pipe that nobody reads" "$scratch/pipe: is a pipe without a reader" --json "$scratch/pipe"
refused "a matrix for other ranks" "$scratch/ranks3: matrix has 3 rows, the job has 2" --matrix "$scratch/ranks3"
refused "a negative entry" "$scratch/negative:4: entry '-5' is not an integer" --matrix "$scratch/negative"
refused "an entry above MPI's int" "$scratch/large: entry (1, 2) is 3000000000 bytes" --matrix "$scratch/large"
refused "a row above MPI's int" "$scratch/sum: the sum of row 1 is 4000000000 bytes" --matrix "$scratch/sum"
refused "a scale that is too large" "$scratch/large: entry (1, 2) is 18446744073709551615 bytes; MPI" \
    --matrix "$scratch/large" --scale 1e300

# ---- names and numbers ----

refused "an unknown pattern" "unknown pattern 'stripes', known are uniform, spike" --pattern stripes
refused "an unknown algorithm" "unknown algorithm 'direkt', known are host, p2p, auto" --algorithms host,direkt
refused "an empty algorithm" "unknown algorithm '', known are" --algorithms host,
refused "a unit that is no number" "--unit 'k' is not an integer" --unit k
refused "a unit that overflows" "pattern next overflows 64 bits" --pattern next --unit 9223372036854775807
refused "a unit above MPI's int" "uniform: entry (1, 1) is 4294967296 bytes" --unit 4294967296
refused "a sweep that ends above MPI's int" "next: entry (1, 2) is " --pattern next -m 1:1000000000
refused "a sweep that runs backwards" "--sweep '8:4' is not MIN:MAX" -m 8:4
refused "no iterations" "--iterations '0' is not an integer from 1" -i 0
refused "negative warm-up" "--warmup '-1' is not an integer from 0" -x -1
refused "a scale of zero" "--scale '0' is not a number above 0" --scale 0

refused "an unknown counter" "unknown counter 'bytes', known are all, exchanges, messages_sent" --columns bytes
refused "an empty counter" "unknown counter '', known are all, exchanges" --columns steps,

# ---- options ----

refused "an unknown option" "unknown option '--fast'" --fast
refused "an unknown letter" "unknown option '-q'" -q
refused "an option without its value" "option '--unit' needs a value" --unit
refused "an argument that is no option" "unexpected argument 'airfoil.mtx'" airfoil.mtx
refused "a matrix and a pattern" "--matrix and --pattern exclude each other" --matrix x.mtx --pattern next
refused "unequal blocks for MPI_Alltoall" "next: entry (1, 2) is " --alltoall --pattern next
refused "a mesh for MPI_Alltoall" "$scratch/ranks2: entry (1, 2) is 5 bytes and entry (1, 1) is 0: with --alltoall all" \
    --alltoall --matrix "$scratch/ranks2"
refused "persistent MPI_Alltoall" "--alltoall and --persistent exclude each other" --persistent --alltoall
refused "a datatype that is none" "--datatype 'vector:8' is not vector:N:STRIDE" --datatype vector:8
refused "pieces of unequal length" "uniform: entries are 100 bytes, which are not 8 equal pieces" \
    --datatype vector:8:4 --unit 100
refused "a stride above MPI's int" "uniform: with --datatype the blocks of a rank extend over " \
    --datatype vector:1:1048576 --unit 65536
refused "a topology that is none" "--neighbor 'cart:4' is none of cart:2, cart:3 and graph:K" --neighbor cart:4
refused "a matrix of neighbours" "--matrix and --neighbor exclude each other" --neighbor cart:2 --matrix x.mtx
refused "groups of which one has no ranks" "--inter '2' leaves no rank for the second group; the job has 2 ranks" \
    --inter 2
refused "a first group without ranks" "--inter '0' is not an integer from 1" --inter 0
refused "groups of neighbours" "--neighbor and --inter exclude each other" --inter 1 --neighbor cart:2
refused "groups in place, which MPI does not have" "--inter and --in-place exclude each other" --inter 1 --in-place
refused "in place with other counts in each direction" \
    "$scratch/lopsided: entry (1, 2) is 5 bytes and entry (2, 1) is 6: with --in-place both must be equal" \
    --in-place --matrix "$scratch/lopsided"
refused "persistent requests in place" "--persistent and --in-place exclude each other" --in-place --persistent
refused "persistent messages by hand" "--algorithms p2p and --persistent exclude each other" --algorithms p2p --persistent
refused "messages by hand in place" "--algorithms p2p and --in-place exclude each other" --algorithms direct,p2p --in-place
refused "a result file that cannot be written" "$scratch/none/x.json: No such file" --json "$scratch/none/x.json"

# ---- good input ----

accepted "a mesh on its ranks" 8 2 --matrix "$srcdir/tests/data/airfoil-8.mtx" -i 5 -x 1
accepted "a large entry, scaled" 2 2 --matrix "$scratch/large" --scale 0.0001 -i 2 -x 0
accepted "a sweep" 2 3 --algorithms host -m 0016:64 -i 2 -x 0
accepted "a sweep with suffixes" 2 2 --algorithms host -m 1k:2k -i 2 -x 0
accepted "a sweep without an end" 2 3 --algorithms host -m 256k: -i 2 -x 0
refused "a sweep that begins behind the end that it has by itself" "--sweep '2m:' is not MIN:MAX" -m 2m:
bench 2 --algorithms host,direct -i 3 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/result.csv")" -eq 3 ] &&
    awk -F , 'NF != 19 || (NR > 1 && ($2 != (NR == 2 ? "host" : "direct") || $5 <= 0 || $14 != "yes")) { bad = 1 }
        END { exit bad }' "$scratch/result.csv"
report $? "results as comma-separated values"
# The table's interval is that of the file, which holds the ratio; and the rate is Lmax by the median.
bench 2 --algorithms host,host,direct,grid -i 20 --csv "$scratch/result.csv"
[ $status -eq 0 ] && awk -F , 'NR == 2 && $17 $18 != "" { bad = 1 }
    NR > 1 && ($19 - $13 / $5) ^ 2 > 0.01 * ($13 / $5) ^ 2 { bad = 1 }
    NR > 2 { if ($17 > $11 || $18 < $11) bad = 1
        print ($17 <= 1 && $18 >= 1 ? "no-difference" : sprintf("%.2f-%.2f", $17, $18)) }
    END { exit bad }' "$scratch/result.csv" > "$scratch/intervals" &&
    sed -n 's/^<stdout>:  //p' "$scratch/out" | awk 'NR > 1 { print $6 }' | cmp "$scratch/intervals" -
report $? "intervals of the ratio, and the rate"
# The times of so many iterations, 1.36 GB, do not fit.
four=host,host,host,host
(ulimit -v 1200000 && ranks 1 "$BENCH" --algorithms $four,$four,$four,$four -i 10000000 --json "$scratch/empty.json") \
    > "$scratch/out" 2>&1
[ $? -eq 2 ] && [ "$(out_lines 'not enough memory for the times')" -eq 1 ] && grep -q '"results": \[\]' "$scratch/empty.json"
report $? "no memory for the times"
"$BENCH" > "$scratch/out" 2>&1
[ $? -eq 2 ] && [ "$(out_lines '^irr_bench: no launcher has started')" -eq 1 ] &&
    [ "$(wc -l < "$scratch/out")" -eq 1 ]
report $? "no launcher"
accepted "one rank" 1 1 --pattern skewed --algorithms host -i 2 -x 0
accepted "no bytes at all" 3 1 --unit 0 --algorithms host -i 2 -x 0
accepted "a transposition" 4 2 --datatype vector:8:4 --unit 512 -i 3 -x 0
accepted "pieces among fewer others than there are" 5 2 --datatype vector:3:2 --unit 6 -i 3 -x 0
accepted "a grid of neighbours" 6 2 --neighbor cart:2 --unit 100 -i 3 -x 0
accepted "one whose sides are one and two ranks" 2 2 --neighbor cart:3 --unit 100 -i 3 -x 0
accepted "a graph with more neighbours than ranks" 3 2 --neighbor graph:7 --unit 8 -i 3 -x 0
accepted "two groups" 5 3 --inter 2 --unit 100 --algorithms host,direct,natural -i 3 -x 0
accepted "groups of a matrix whose other entries are left out" 2 2 --inter 1 --matrix "$scratch/inside" -i 3 -x 0
accepted "one rank and many, MPI_Alltoall" 4 2 --inter 1 --alltoall --unit 100 -i 3 -x 0
accepted "a transposition between groups" 5 2 --inter 3 --datatype vector:4:2 --unit 64 -i 3 -x 0
accepted "groups, nonblocking" 3 2 --inter 1 --overlap --unit 64 -i 3 -x 0
accepted "groups, persistent" 3 4 --inter 2 --persistent --unit 64 -i 3 -x 0
accepted "in place" 4 3 --in-place --pattern uniform --unit 300k --algorithms host,direct,natural -i 3 -x 0
accepted "a symmetric matrix in place" 2 2 --in-place --matrix "$scratch/ranks2" -i 3 -x 0
accepted "in place, MPI_Alltoall" 3 2 --in-place --alltoall --unit 100 -i 3 -x 0
accepted "a transposition in place" 4 2 --in-place --datatype vector:8:4 --unit 512 -i 3 -x 0
accepted "by hand: empty blocks" 5 2 --pattern sparse --unit 64 --algorithms host,p2p -i 3 -x 0
accepted "by hand: two neighbours that are one rank" 3 2 --neighbor graph:7 --unit 8 --algorithms host,p2p -i 3 -x 0
accepted "by hand: two groups" 5 2 --inter 2 --unit 100 --algorithms host,p2p -i 3 -x 0
accepted "by hand: a transposition" 5 2 --datatype vector:3:2 --unit 6 --algorithms host,p2p -i 3 -x 0
accepted "by hand: beside a computation" 4 2 --overlap --tests 3 --unit 64 --algorithms host,p2p -i 3 -x 0
accepted "help" 2 0 --help
bench 2 --algorithms host -i 3 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(grep -c '"verified": true' "$scratch/result.json")" -eq 1 ]
report $? "results as JSON"

# ---- wrong bytes ----

# Rounds are: one that is compared, the warm-up, two iterations, and one that is compared.
"$OMPI_MPICC" -shared -fPIC -o "$scratch/flip.so" "$srcdir/tests/mpi/flip.c"
flipped 1
report $? "a wrong byte before the warm-up"
flipped 5
report $? "a wrong byte after the iterations"
flipped 2 -c
report $? "a wrong byte in an iteration, with each compared"
unseen 3 yes "; bytes compared before and after"
report $? "caches stay warm, so bytes of an iteration are not compared"
unseen 1 - "nothing compared" --no-check
report $? "no byte is compared"

flip 5 --algorithms p2p
[ $status -eq 1 ] && [ "$(out_lines 'wrong byte with p2p: rank 0, message from rank 0, offset 0: .*, in round 5$')" -eq 1 ]
report $? "a wrong byte of a message by hand"
flipped 1 --in-place
report $? "a wrong byte in place"
flip 1 --inter 1
[ $status -eq 1 ] && [ "$(out_lines 'wrong byte with host: rank 0, message from rank 1, offset 0: .*, in round 1$')" -eq 1 ]
report $? "a wrong byte from the other group"

# ---- groups, and in place ----

bench 3 --inter 1 -i 2 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ': MPI_Alltoallv, ranks: 3, groups of 1 and 2 ranks,')" -eq 1 ] &&
    grep -q '"first_group": 1,' "$scratch/result.json" && grep -q '"in_place": false' "$scratch/result.json" &&
    cp "$scratch/result.json" "$scratch/groups.json"
report $? "groups in the table and as JSON"
[ "$(out_lines 'messages: 4, bytes in all: 4096,')" -eq 1 ]
report $? "of groups only what goes between them counts"
bench 2 --in-place -i 2 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ': MPI_Alltoallv, ranks: 2, in place,')" -eq 1 ] &&
    grep -q '"first_group": null,' "$scratch/result.json" && grep -q '"in_place": true' "$scratch/result.json"
report $? "in place in the table and as JSON"

# ---- charts ----

# chart NAME JSON: the chart of a file, in $scratch/NAME.svg; it is good XML.
chart() {
    python3 "$srcdir/contrib/irr_chart" "$2" -o "$scratch/$1.svg" > "$scratch/out" 2>&1 &&
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/$1.svg"
}

# texts NAME CLASS: the texts of a class in a chart, in one line.
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

# checked NAME COMMAND...: check, where there is Python.
checked() {
    if command -v python3 > /dev/null; then
        check "$@"
    else
        skip "$1" "there is no python3"
    fi
}

checked "a sweep as lines: times with their spread, and host/this" lines_of_a_sweep
checked "a sweep without host has times alone" times_alone
checked "one unit as bars, named as in the table" bars_of_a_unit
checked "groups in a chart" chart_of_groups
checked "a chart without rows" no_chart "$scratch/empty.json: no row was measured" "$scratch/empty.json"
echo '{"results": [{"rows": 1}]}' > "$scratch/other.json"
checked "a chart of another file" no_chart "$scratch/ranks2 is no JSON file of irr_bench" "$scratch/ranks2"
checked "a chart of other JSON" no_chart "$scratch/other.json is no JSON file of irr_bench" "$scratch/other.json"
checked "a chart of no file" no_chart "$scratch/none.json: No such file" "$scratch/none.json"
checked "a chart that cannot be written" no_chart "$scratch/none/x.svg: No such file" "$scratch/groups.json" \
    -o "$scratch/none/x.svg"

# ---- MPI_Alltoall ----

bench 4 --alltoall --algorithms host,direct,grid,tree -i 5 --unit 1000 --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 4 ] && [ "$(out_lines '(host)')" -eq 0 ] && [ "$(out_lines '(irr)')" -eq 0 ] &&
    [ "$(out_lines '# irr_bench [^ ]*: MPI_Alltoall, ranks: 4')" -eq 1 ]
report $? "MPI_Alltoall, each row by what its name says"
[ "$(grep -c '"call": "MPI_Alltoall"' "$scratch/result.json")" -eq 1 ] &&
    [ "$(grep -c '"served_by": "irr"' "$scratch/result.json")" -eq 3 ]
report $? "MPI_Alltoall as JSON"
bench 4 -i 2
[ $status -eq 0 ] && [ "$(out_lines '# irr_bench [^ ]*: MPI_Alltoallv, ranks: 4')" -eq 1 ]
report $? "MPI_Alltoallv by default"
[ "$(out_lines ' host .* yes$')" -eq 1 ] && [ "$(out_lines ' direct .* yes$')" -eq 1 ]
report $? "host beside direct by default"
bench 4 --algorithms auto -i 2
[ $status -eq 0 ] && [ "$(out_lines ' auto(host) .* yes$')" -eq 1 ] && [ "$(out_lines 'rows marked (host)')" -eq 1 ]
report $? "auto that Open MPI served is marked"
bench 4 --algorithms host,p2p -i 2 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(out_lines ' p2p .* - .* yes$')" -eq 1 ] && grep -q '^[^,]*,p2p,.*,host,' "$scratch/result.csv"
report $? "messages by hand are not served by coll/irr, and not marked"

# ---- persistent requests ----

bench 4 --persistent --algorithms host,direct,balanced-grid -i 5 --unit 100 --columns header_bytes --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 6 ] && [ "$(out_lines '(host)')" -eq 0 ] &&
    [ "$(out_lines ' \(direct\|balanced-grid\)-start .* 0 *yes$')" -eq 2 ] && [ "$(out_lines ' host-start .* - *yes$')" -eq 1 ] &&
    [ "$(out_lines 'host/this *interval start/this')" -eq 1 ]
report $? "each algorithm once more, persistent, without descriptions"
[ "$(grep -c '"persistent": true' "$scratch/result.json")" -eq 3 ] &&
    [ "$(grep -c '"host_start_ratio": [0-9]' "$scratch/result.json")" -eq 6 ]
report $? "persistent rows as JSON"

# ---- overlap ----

bench 4 --overlap --tests 3 --algorithms host,direct -i 5 --unit 4k --csv "$scratch/result.csv" \
    --json "$scratch/result.json"
[ $status -eq 0 ] && [ "$(out_lines ' yes$')" -eq 2 ] && [ "$(out_lines '(host)')" -eq 0 ] &&
    [ "$(out_lines '# irr_bench [^ ]*: MPI_Ialltoallv, ranks: 4')" -eq 1 ] &&
    [ "$(out_lines 'with MPI_Test called 3 times')" -eq 1 ] && aligned
report $? "nonblocking calls beside computations, served by what their rows say"
awk -F , 'NR > 1 && !($15 > 0 && $15 <= $5 && $16 >= 0 && $16 <= 1) { bad = 1 } END { exit bad || NR != 3 }' \
    "$scratch/result.csv" && [ "$(grep -c '"alone_us": \[' "$scratch/result.json")" -eq 2 ] && ! grep '_ms"' "$scratch/result.json"
report $? "a computation takes as long as the exchange alone"
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
refused "tests without an overlap" "--tests goes with --overlap only" --tests 3
refused "a computation without an overlap" "--compute goes with --overlap only" --compute 3
refused "sleep without an overlap" "--idle goes with --overlap only" --idle
bench 4 --overlap --idle --compute 50000 --algorithms host,direct -i 3 --unit 64 --csv "$scratch/result.csv"
[ $status -eq 0 ] && [ "$(out_lines '# each beside a sleep of 50000 us, with MPI_Test called 0 times in it')" -eq 1 ]
report $? "--overlap with a sleep of a given length"
awk -F , 'NR > 1 && !($5 >= 50000 && $15 < 50000 && $16 >= 0 && $16 <= 1) { bad = 1 } END { exit bad || NR != 3 }' \
    "$scratch/result.csv"
report $? "each row sleeps that long, whatever its exchange takes alone"

# ---- counters ----

columns 4 --columns header_bytes,messages_received,header_bytes
[ $status -eq 0 ] && [ "$columns" = "header_bytes messages_received" ] && aligned
report $? "the columns of the option, each once"
[ "$(out_lines ' host .* - *- *yes$')" -eq 1 ] && [ "$(out_lines ' direct .* [0-9]* *3 *yes$')" -eq 1 ]
report $? "host has no counters, direct receives a message from each other rank"

columns 2 --columns all --json "$scratch/result.json"
[ $status -eq 0 ] && [ "${columns%% *}" = exchanges ] && [ "$(echo "$columns" | wc -w)" -ge 10 ] && aligned
report $? "all columns"
json_has $columns
report $? "all counters in each row as JSON, null for host"

exit $failed
