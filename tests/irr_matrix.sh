#!/bin/sh
# irr_matrix.sh - irr_matrix makes, describes and converts count matrices, and refuses bad input with one line and exit
# status 2.

srcdir=${srcdir:-.}
TOOL=irr_matrix
. "$srcdir/tests/plan_tap.sh"
mesh=$srcdir/tests/data/airfoil-8.mtx

# prints NAME ARGUMENT...: reports a case: stdout without comments is equal to $scratch/expected.
prints() {
    name=$1
    shift
    good "$@" && without_comments "$scratch/out" | cmp -s "$scratch/expected" -
    report $? "$name"
}

# Comments begin with "% " or "#"; the header of Matrix Market begins with "%%".
without_comments() {
    sed -e '/^% /d' -e '/^#/d' "$1"
}

same() {
    without_comments "$1" > "$scratch/a"
    without_comments "$2" | cmp -s "$scratch/a" -
}

# no_ucc INPUT TEXT LINE...: a pattern file with these lines after the type is refused.
no_ucc() {
    name=$1
    text=$2
    shift 2
    conf x.ptini '[collective]' 'type = ALLTOALLV' "$@"
    refused "$name" "$scratch/x.ptini$text" stats "$scratch/x.ptini"
}

if "$MATRIX" partition "$scratch/none" -k 2 2>&1 | grep -q 'built without'; then
    metis=no
else
    metis=yes
fi

# partition REPORT NAME ARGUMENT...: runs a case that needs METIS, or skips it.
partition() {
    if [ $metis = no ]; then
        skip "$2" "irr_matrix was built without METIS (Debian: libmetis-dev)"
    else
        "$@"
    fi
}

# no_graph INPUT TEXT LINE...: a graph file of these lines is refused.
no_graph() {
    name=$1
    text=$2
    shift 2
    conf x.graph "$@"
    partition refused "$name" "$scratch/x.graph$text" partition "$scratch/x.graph" -k 2
}

echo 1..76

# ---- generate ----

cat > "$scratch/expected" << 'END'
%%MatrixMarket matrix coordinate integer general
2 2 4
1 1 3
1 2 192
2 1 192
2 2 3
END
prints "generate prints a pattern" generate next --ranks 2 --unit 3
"$MATRIX" generate next --ranks 2 --unit 3 -o "$scratch/next.mtx" && "$MATRIX" generate next --ranks 2 --unit 3 -o - |
    cmp -s "$scratch/next.mtx" -
report $? "generate writes the same output to a file and to -"
check "an earlier file stays until the new one is complete" \
    keeps irr_matrix "$scratch/kept.mtx" "$MATRIX" generate uniform --ranks 40 --unit 8 -o "$scratch/kept.mtx"
"$MATRIX" generate random --ranks 20 --seed 7 > "$scratch/seven" && good generate random --ranks 20 --seed 8 &&
    ! same "$scratch/out" "$scratch/seven" && good generate random --ranks 20 --seed 7 &&
    same "$scratch/out" "$scratch/seven"
report $? "the same seed gives the same matrix"

# ---- stats ----

says "stats describes a mesh" \
    "ranks=8 messages=30 bytes=5200 self_bytes=0 lmax=1016 message_bytes_max=280 message_bytes_mean=173.3
     zero_rows=0 zero_columns=0 density=0.5357 degree_mean=3.75 degree_max=6 skew=1.563" \
    stats "$mesh"
[ "$("$PLAN" check --algorithm direct --matrix "$mesh" | grep lmax)" = "$(grep lmax "$scratch/expected")" ]
report $? "irr_plan computes the same lmax"
file pair '3 3 2' '1 2 5' '3 3 7'
says "bytes from a rank to itself are no message" \
    "ranks=3 messages=1 bytes=5 self_bytes=7 lmax=7 message_bytes_max=5 message_bytes_mean=5.0 zero_rows=2
     zero_columns=2 density=0.1667 degree_mean=0.33 degree_max=1 skew=3.000" \
    stats "$scratch/pair"
file empty '1 1 0'
shows "stats describes a matrix without messages" 'density=0.0000 skew=1.000' stats "$scratch/empty"
file huge '3 3 3' '1 2 9223372036854775807' '1 3 9223372036854775807' '2 3 9223372036854775807'
shows "a sum that overflows is the largest integer" bytes=18446744073709551615 stats "$scratch/huge"

# ---- draw ----

# drawn FILE: draws a matrix to $scratch/out; true if the picture is complete.
drawn() {
    good draw "$1" && [ "$(head -c 4 "$scratch/out")" = '<svg' ] && [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
}
drawn "$mesh" && counts 30 'class="v' 1 'class="v d" .*>280 B<' 1 '>bytes from rank to rank, 8 ranks</text>' \
        1 ">matrix $mesh<" \
        1 '>30 messages between ranks, 5200 B, density 0.536; the longest has 280 B, 1.62 times the mean; '
report $? "a picture of a mesh has all values"
# ticks: prints the texts of the legend: the lower end, the upper end, then the values between them.
ticks() {
    sed -n 's/^<text x="[0-9]*" y="[0-9]*">\([0-9.]* [kMGE]*B\)<.*/\1/p' "$scratch/out" | tr '\n' ' '
}
[ "$(ticks)" = '48 B 280 B 100 B 200 B ' ]
report $? "the legend is in bytes"
"$MATRIX" generate uniform --ranks 4 -o "$scratch/uniform.mtx" && drawn "$scratch/uniform.mtx" &&
    [ "$(sed -n 's/^<path d="\(.*\)" class="l[0-9].*/\1/p' "$scratch/out" | tr -cd M)" = MMMM ]
report $? "adjacent cells of the same colour are one stroke"
"$MATRIX" generate skewed --ranks 1200 -o "$scratch/wide.mtx" && drawn "$scratch/wide.mtx" &&
    counts 1 '; a cell is the longest message from 5 ranks to 5 ranks<' 0 'class="v' &&
    [ "$(wc -c < "$scratch/out")" -lt 200000 ] && counts 1 'class="rank e" .*>1120<'
report $? "a cell stands for several ranks if they are many"
drawn "$scratch/empty" && counts 1 '>no message<' 0 '" class="l[0-9]' && [ -z "$(ticks)" ]
report $? "a matrix without messages is drawn"
drawn "$scratch/huge" && [ "$(ticks)" = '9.22 EB ' ] && counts 1 '>3 messages between ranks, 18.4 EB'
report $? "messages of the largest size are drawn"
cp "$scratch/pair" "$scratch/a<b&c" && drawn "$scratch/a<b&c" && counts 1 '/a&lt;b&amp;c<'
report $? "a file name with special characters is escaped"

# ---- convert ----

cat > "$scratch/expected" << 'END'
[format]
version = 1.0

[collective]
type = ALLTOALLV
team_size = 3
datatype = INT8
flags = COUNT_32BIT
counts = {
    0,5,0
    0,0,0
    0,0,7
}
END
prints "a matrix is converted to a pattern file of UCC" convert "$scratch/pair" - --to ucc
good convert "$mesh" "$scratch/mesh.ptini" && good convert "$scratch/mesh.ptini" - && same "$scratch/out" "$mesh"
report $? "a conversion to UCC and back gives the same matrix"
good generate uniform --ranks 1200 --unit 4294967295 -o "$scratch/wide.ptini" &&
    [ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' "$scratch/wide.ptini")" -lt 8191 ] &&
    good stats "$scratch/wide.ptini" && figures message_bytes_max=4294967295
report $? "long rows take several lines"
cp "$scratch/mesh.ptini" "$scratch/mesh.txt"
good convert "$scratch/mesh.txt" - --from ucc --to mtx && same "$scratch/out" "$mesh"
report $? "--from and --to set the formats"

cat > "$scratch/two.ptini" << 'END'
; as UCC's own examples
[format]
version = 1.0
description = whatever

[collective]
type = ALLTOALLV
team_size = 2
datatype = INT32   ; four bytes
counts = {
    1,2
    # a comment
    0,4,
}
[collective]
type: ALLTOALLV
counts = {5,6,
    0, 0 }
END
cat > "$scratch/expected" << 'END'
%%MatrixMarket matrix coordinate integer general
2 2 3
1 1 4
1 2 8
2 2 16
END
prints "counts are elements of the datatype" convert "$scratch/two.ptini" - --collective 1
cat > "$scratch/expected" << 'END'
%%MatrixMarket matrix coordinate integer general
2 2 2
1 1 20
1 2 24
END
prints "the default datatype is float32" convert "$scratch/two.ptini" - --collective 2
refused "a pattern file with several collectives" "$scratch/two.ptini:18: file has several" stats "$scratch/two.ptini"
refused "an unknown number of a collective" "$scratch/two.ptini: file has 2 collectives" \
    stats "$scratch/two.ptini" --collective 3

# ---- redistribute ----

cat > "$scratch/expected" << 'END'
%%MatrixMarket matrix coordinate integer general
3 3 4
1 1 2
2 1 1
2 2 1
3 2 2
END
prints "redistribute prints the elements of a redistribution" redistribute 2,3,3,3,6 --unit 1
good redistribute 2,6,3,6 --unit 1 && awk 'NR > 3 { print $3 }' "$scratch/out" | sort | uniq -c |
    awk '{ print $1 "x" $2 }' | tr '\n' ' ' > "$scratch/lengths"
[ "$(cat "$scratch/lengths")" = '12x1 12x2 ' ]
report $? "redistribute gives the lengths of the paper's example 2"
good redistribute 1,2,1,3 && counts 1 '^3 3 6$' 1 '^1 2 8$'
report $? "redistribute works with more targets than sources; an element has 8 bytes"

# ---- partition ----

awk 'BEGIN {
    n = 12
    print n * n, 2 * n * (n - 1)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            v = i * n + j + 1
            print (i > 0 ? v - n : ""), (j > 0 ? v - 1 : ""), (j < n - 1 ? v + 1 : ""), (i < n - 1 ? v + n : "")
        }
}' > "$scratch/square.graph"
square() {
    good partition "$scratch/square.graph" -k 4 && [ "$(lines '^4 4 ')" -eq 1 ] &&
        awk 'NR > 3 { if ($1 == $2 || $3 % 8 != 0 || $3 > 288) exit 1; sum += $3 }
             END { exit sum < 8 * 24 || sum > 8 * 96 }' "$scratch/out"
    report $? "$1"
}
partition square "partition cuts a square along short lines"
twice() {
    "$MATRIX" partition "$scratch/square.graph" --parts 5 --seed 3 --unit 1 > "$scratch/first" &&
        good partition "$scratch/square.graph" --parts 5 --seed 3 --unit 1 && cmp -s "$scratch/out" "$scratch/first"
    report $? "$1"
}
partition twice "the same seed gives the same partition"
conf x.graph '% two pairs' '4 2 0' '2' '% of friends' '1' '4' '3'
pairs() {
    good partition "$scratch/x.graph" -k 2 && counts 1 '^2 2 0$'
    report $? "$1"
}
partition pairs "parts may have no messages for each other"

partition refused "a partition without -k" "the number of parts is missing: -k" partition "$scratch/x.graph"
partition refused "more parts than vertices" "$scratch/x.graph: 4 vertices cannot be divided into 5 parts" \
    partition "$scratch/x.graph" -k 5
partition refused "a missing graph file" "$scratch/none: No such file" partition "$scratch/none" -k 2
no_graph "an empty graph" ":1: first line must have" ''
no_graph "a graph with weights" ":1: format '011' has weights" '2 1 011' '2 1' '1 1'
no_graph "a graph that ends early" ":3: file ends after 2 of the 2000000000" '2000000000 1' '2' '1'
no_graph "an edge to an unknown vertex" ":3: neighbour '3' is not an integer from 1 to 2" '2 1' '2' '3'
no_graph "a loop" ":2: vertex 1 is a neighbour of itself" '2 1' '1' '2'
no_graph "an edge in one direction" ": an edge of vertex 1 is missing in the other direction" '3 1' '2' '3' ''
no_graph "a repeated edge" ": the edge of 2 and 1 appears twice" '2 2' '2 2' '1 1'
no_graph "a graph with more edges than in its first line" ":3: there are more neighbours than two for each of the 1 edges" '3 1' '2' '1 3' '2'
no_graph "a graph with an additional line" ":4: a line follows" '2 1' '2' '1' '1'

# ---- help ----

good --help && counts 1 '^Usage: irr_matrix ' 1 '^  redistribute '
report $? "--help prints the commands"
# under OPTION TEXT: --help has the option below the heading `Options of TEXT:'.
under() {
    awk -v option="$1" -v heading="Options of $2:" '
        /^[^ ]/ { inside = $0 == heading }
        /^ / && ($1 == option || $2 == option) { all++; found += inside }
        END { exit all != 1 || found != 1 }' "$scratch/out"
}
good --help && under --ranks generate && under --parts partition && under --seed "generate and partition" &&
    under --unit "generate, redistribute and partition" && under --help "all commands"
report $? "--help says which commands take an option"
good --version && counts 1 '^irr_matrix [^ ]*$'
report $? "--version prints the version"

# ---- bad files ----

refused "a missing file" "$scratch/none: No such file" stats "$scratch/none"
mkfifo "$scratch/pipe" "$scratch/pipe.ptini"
cat "$mesh" | "$MATRIX" stats /dev/stdin > "$scratch/out" 2> "$scratch/err" && good stats "$mesh"
report $? "a pipe is read"
for pipe in pipe pipe.ptini; do
    refused "a pipe without a writer, $pipe," "$scratch/$pipe: is an empty pipe" stats "$scratch/$pipe"
done
refused "an output pipe without a reader" "$scratch/pipe: is a pipe without a reader" stats "$mesh" -o "$scratch/pipe"
refused "a file of another kind" "$scratch/two.ptini:1: first word" stats "$scratch/two.ptini" --from mtx
no_ucc "a pattern file whose counts are no square" ":5: 3 counts do not make a square matrix" 'counts = {' '    1,2,3' '}'
no_ucc "a pattern file with counts for another team size" ":6: 4 counts are for 2 ranks" 'team_size = 3' 'counts = {' '    1,2,3,4' '}'
no_ucc "a count above 32 bits" ":4: count '4294967296' is not an integer" 'counts = {' '    4294967296' '}'
no_ucc "a line of counts that ucc_perftest ignores" ":4: line of counts must begin" 'counts = {' '1' '}'
no_ucc "a list of counts without an end" ":4: counts end without }" 'counts = {' '    1'
no_ucc "a list of counts without a comma" ":4: a comma is missing" 'counts = {' '    1 2,3,4' '}'
no_ucc "an unknown datatype" ":3: datatype 'INT7' is unknown to UCC" 'datatype = INT7'
printf '[collective]\ntype = ALLGATHERV\n' > "$scratch/x.ptini"
refused "a pattern file of another collective" "$scratch/x.ptini:2: type 'ALLGATHERV' is not ALLTOALLV" stats "$scratch/x.ptini"
no_ucc "a pattern file without counts" ": file has 0 collectives"
refused "an entry that is too large for UCC" "entry (1, 2) is 9223372036854775807 bytes; the file can hold at most 4294967295" \
    convert "$scratch/huge" "$scratch/huge.ptini"
refused "an output file that cannot be written" "$scratch/none/x: No such file" convert "$mesh" "$scratch/none/x"
for name in mesh.csv mesh.txt; do
    refused "an output file with the unknown ending of $name" "$scratch/$name: the name ends in neither .mtx nor .ptini; select the kind with --to" \
        convert "$mesh" "$scratch/$name"
done
good convert "$mesh" "$scratch/mesh.csv" --to mtx && same "$scratch/mesh.csv" "$mesh"
report $? "--to sets the format of a file with an unknown ending"
fails "an output file on a full disk" "/dev/full: No space left on device" convert "$mesh" /dev/full

# ---- bad options ----

refused "a missing command" "the command is missing"
refused "an unknown command" "unknown command 'invent', known are generate, stats" invent
refused "convert with one operand" "convert needs IN OUT and nothing else, not 1" convert "$mesh"
refused "an option of another command" "--ranks does not go with stats" stats "$mesh" --ranks 8
refused "an unknown pattern" "unknown pattern 'stripes', known are uniform" generate stripes --ranks 2
refused "generate without --ranks" "--ranks is missing" generate next
refused "a malformed redistribution" "redistribution '2,0,3,6' is not x,p,y,q" redistribute 2,0,3,6
refused "a redistribution of too many ranks" "redistribution '1,20000,1,2' has more than 16384" \
    redistribute 1,20000,1,2
refused "draw with --ranks" "--ranks does not go with draw" draw "$mesh" --ranks 8
refused "--collective for a matrix" "--collective goes with ucc files" stats "$mesh" --collective 1
exit $failed
