#!/bin/sh
# irr_plan_input.sh - irr_plan saves and loads schedules, and refuses bad files and options in one line.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"
mesh=$srcdir/tests/data/airfoil-8.mtx
file pair '3 3 2' '1 2 5' '3 3 7'
file triangle '3 3 6' '1 2 30' '1 3 10' '2 1 20' '2 3 20' '3 1 20' '3 2 10'

echo 1..64

# ---- save and load ----

cat > "$scratch/expected" << 'END'
irr_schedule 1
# algorithm optimal
3 3 6
1 0 1 0 30 1
1 1 2 0 20
1 2 0 0 20
2 1 0 0 20 1
3 0 2 0 10
3 2 1 0 10
end
END
good check --algorithm optimal --matrix "$scratch/triangle" --save "$scratch/saved" &&
    cmp -s "$scratch/expected" "$scratch/saved"
report $? "a schedule is saved"
lost=
for algorithm in xor random random-sorted random-heap optimal redistribution tree; do
    good check --algorithm $algorithm --redistribute 4,9,3,16 --save "$scratch/all" &&
        grep -v -e _ms= -e '^pacing=' -e '^lead_' "$scratch/out" > "$scratch/two" && good check --load "$scratch/all" &&
        grep -v -e _ms= -e '^lmax=' -e '^pacing=' -e '^lead_' "$scratch/out" > "$scratch/out2" &&
        grep -v '^lmax=' "$scratch/two" | cmp -s - "$scratch/out2" || lost="$lost $algorithm"
done
[ -z "$lost" ]
report $? "a loaded schedule has the same properties as the saved one$lost"
good print --algorithm optimal --matrix "$scratch/triangle" --json &&
    sed 's/"optimal"/"file"/; s/"grant"/"free"/' "$scratch/out" > "$scratch/expected"
prints "print prints the messages of a loaded schedule" print --load "$scratch/saved" --json
prints "print prints a loaded schedule with its matrix" print --load "$scratch/saved" --matrix "$scratch/triangle" --json
good draw --load "$scratch/saved" -o "$scratch/loaded.svg" && good draw --algorithm optimal \
    --matrix "$scratch/triangle" && grep '^<g><title>' "$scratch/out" > "$scratch/bars" &&
    grep '^<g><title>' "$scratch/loaded.svg" | cmp -s - "$scratch/bars" &&
    grep -q -F ">file, 3 ranks<" "$scratch/loaded.svg" &&
    grep -q -F ">schedule $scratch/saved<" "$scratch/loaded.svg"
report $? "draw draws a loaded schedule"
good check --algorithm random-heap --ranks 4 --pattern random --save "$scratch/all" &&
    good check --load "$scratch/all" --pattern random && good check --load "$scratch/all" --pattern random --ranks 4
report $? "--pattern uses the number of ranks of a loaded schedule"
printf 'irr_schedule 1\n2 2147483647 1\n2147483647 0 1 0 5\nend\n' > "$scratch/late"
(ulimit -v 200000 && good check --load "$scratch/late" && [ "$(value permutations)" -eq 2147483647 ] &&
    good print --load "$scratch/late" && good draw --load "$scratch/late" && good draw --async --load "$scratch/late")
report $? "a step with a high number needs no more memory"
printf 'irr_schedule 1\n2 2147483647 1\n2147483646 0 1 0 5 1\nend\n' > "$scratch/late"
(ulimit -v 200000 && good check --load "$scratch/late" && good draw --load "$scratch/late")
report $? "a split message with a high step number needs no more memory"

# ---- bad files ----

file wide '2 2 2' '1 1 4000000000000000000' '1 2 4000000000000000000'
file many '16385 16385 0'
printf 'ranks = 2\n' > "$scratch/foreign"

refused "a missing matrix file" "$scratch/none: No such file" check --algorithm direct --matrix "$scratch/none"
refused "a file of another kind" "$scratch/foreign:1: first word" check --algorithm direct --matrix "$scratch/foreign"
refused "a matrix row that overflows" "$scratch/wide: row 1 has more than" \
    check --algorithm direct --matrix "$scratch/wide"
refused "a matrix of too many ranks" "$scratch/many:2: number of rows '16385' is not an integer from 1 to 16384" \
    check --algorithm direct --matrix "$scratch/many"
refused "a matrix for another number of ranks" "$mesh: matrix has 8 rows, --ranks says 9" \
    check --algorithm direct --ranks 9 --matrix "$mesh"
mkfifo "$scratch/pipe"
cat "$mesh" | "$PLAN" check --algorithm direct --matrix /dev/stdin > "$scratch/out" 2> "$scratch/err" &&
    [ "$(lines '^ranks=8$')" -eq 1 ]
report $? "a pipe is read"
for option in "--algorithm direct --matrix" --load "--algorithm direct --topology"; do
    # An option is one word or several.
    # shellcheck disable=SC2086
    refused "a pipe without a writer, $option," "$scratch/pipe: is an empty pipe without a writer" \
        check $option "$scratch/pipe"
done
refused "a device" "/dev/zero: is a device; only a regular file or a pipe is read" \
    check --algorithm direct --matrix /dev/zero
refused "an output file that cannot be written" "$scratch/none/x: No such file" \
    check --algorithm direct --ranks 2 -o "$scratch/none/x"
fails "an output file on a full disk" "/dev/full: No space left on device" \
    print --algorithm direct --ranks 2 --json -o /dev/full

printf 'irr_schedule 1\n16385 0 0\nend\n' > "$scratch/huge"
refused "a missing schedule file" "$scratch/none: No such file" check --load "$scratch/none"
refused "a matrix in place of a schedule" "$scratch/pair:1: first line is not 'irr_schedule 1'" \
    check --load "$scratch/pair"
refused "a schedule of too many ranks" "$scratch/huge:2: number of ranks '16385' is not an integer from 1 to 16384" \
    check --load "$scratch/huge"
refused "a schedule for another number of ranks" "$scratch/saved: schedule is for 3 ranks, --ranks says 4" \
    check --load "$scratch/saved" --ranks 4
refused "a schedule of another matrix" \
    "$scratch/saved does not deliver random: 30 bytes are sent from rank 0 to rank 1, instead of " \
    check --load "$scratch/saved" --pattern random
refused "a schedule of a smaller matrix" \
    "$scratch/saved does not deliver $mesh: the schedule is for 3 ranks, the matrix for 8" \
    check --load "$scratch/saved" --matrix "$mesh"
refused "a schedule that cannot be saved" "$scratch/none/x: No such file" \
    check --algorithm xor --ranks 2 --save "$scratch/none/x"
fails "a schedule file on a full disk" "/dev/full: No space left on device" \
    check --algorithm xor --ranks 2 --save /dev/full

# ---- bad options ----

refused "a missing command" "the command is missing" --algorithm direct --ranks 2
refused "an unknown command" "unknown command 'prove', known are print, check, draw" prove --algorithm direct --ranks 2
refused "a second command" "unexpected argument 'draw'" check draw --algorithm direct --ranks 2
refused "a missing algorithm" "--algorithm is missing" check --ranks 2
refused "an unknown algorithm" "unknown algorithm 'direkt', known are auto, direct" check --algorithm direkt --ranks 2
good check --algorithm DIRECT --ranks 2 && good check --algorithm A1 --ranks 2
report $? "names of algorithms may have capital letters, as in jobs"
refused "an unknown pattern" "unknown pattern 'stripes', known are uniform" \
    check --algorithm direct --ranks 2 --pattern stripes
refused "a missing number of ranks" "--ranks or --matrix is missing" check --algorithm direct
refused "--ranks 0" "--ranks '0' is not an integer from 1 to" check --algorithm direct --ranks 0
refused "a unit that is no number" "--unit '1kk' is not an integer" check --algorithm direct --ranks 2 --unit 1kk
refused "a unit of more than 64 bits" "--unit '17179869184g' is not an integer" check --algorithm direct --ranks 2 \
    --unit 17179869184g
refused "a unit that overflows" "pattern next overflows 64 bits" \
    check --algorithm direct --ranks 2 --pattern next --unit 9223372036854775807
refused "an input with too many bytes for a schedule" "next: more than 9223372036854775807 bytes in all" \
    check --algorithm optimal --ranks 300 --pattern next --unit 1000000000000000
refused "a scale of zero" "--scale '0' is not a number above 0" check --algorithm direct --ranks 2 --scale 0
refused "a matrix and a unit" "--matrix and --unit exclude each other" \
    check --algorithm direct --matrix "$mesh" --unit 8
refused "a malformed redistribution" "redistribution '2,6,3' is not x,p,y,q" \
    check --algorithm direct --redistribute 2,6,3
refused "a redistribution and a matrix" "--matrix and --redistribute exclude each other" \
    check --algorithm direct --matrix "$mesh" --redistribute 2,6,3,6
refused "a redistribution with --ranks" "--redistribute and --ranks exclude each other" \
    check --algorithm direct --ranks 6 --redistribute 2,6,3,6
refused "the algorithm redistribution without --redistribute" "algorithm redistribution needs --redistribute" \
    check --algorithm redistribution --ranks 6
refused "--save for an algorithm without a schedule" "--save: algorithm direct has no schedule; only xor to tree in the list of --help have one" \
    check --algorithm direct --ranks 2 --save "$scratch/none"
refused "--load with --algorithm" "--load and --algorithm exclude each other" \
    check --algorithm xor --load "$scratch/saved"
refused "--load with --save" "--load and --save exclude each other" \
    check --load "$scratch/saved" --save "$scratch/none"
refused "a unit without a matrix" "--unit with --load also needs a matrix" check --load "$scratch/saved" --unit 8
refused "a scale without a matrix" "--scale with --load also needs a matrix" check --load "$scratch/saved" --scale 2
refused "--async without a schedule" "--async goes with a schedule only" \
    draw --algorithm direct --ranks 2 --async
refused "a lambda of zero" "--lambda 'fixed:0' is not incremental, " \
    check --algorithm random-heap --ranks 2 --lambda fixed:0
refused "a latency that is too large" "--latency '16777216t' is not a whole number" \
    check --algorithm random-heap --ranks 2 --latency 16777216t
refused "a limit that is no number" "--max-steps 'few' is not a whole number up to 2147483647" \
    check --algorithm optimal --ranks 2 --max-steps few
refused "an unknown rank" "--rank 2 is not one of 2 ranks" print --algorithm direct --ranks 2 --rank 2
refused "check with --rank" "--rank does not go with check, only with print" \
    check --algorithm direct --ranks 2 --rank 1
refused "draw with --json" "--json does not go with draw, only with print" draw --algorithm direct --ranks 2 --json
printf 'SwitchName=s Nodes=n[0-3]\n' > "$scratch/hosts"
refused "plans that need too much memory" "the plans of 600 ranks need about" \
    check --algorithm direct --ranks 600 --memory 8m
"$PLAN" print --algorithm direct --ranks 3000 --rank 2999 > "$scratch/out" 2> "$scratch/err" &&
    [ "$(lines '^plan rank 2999 of 3000')" -eq 1 ] && [ "$(wc -l < "$scratch/out")" -eq 6001 ]
report $? "one plan of many ranks is printed"
refused "a drawing of too many ranks" \
    "draw --topology shows at most 512 ranks, not 513, because the names of more ranks would be unreadable" \
    draw --algorithm direct --ranks 513 --topology "$scratch/hosts"
refused "an unknown option" "unknown option '--fast'" check --fast
long=$(printf '%0250d/%0250d/%0250d/%0250d' 0 0 0 0)/end.mtx
"$PLAN" check --algorithm direct --matrix "start/$long" 2> "$scratch/err"
[ $? -eq 2 ] && grep -q '^irr_plan: start/0*/0*\.\.\.0*/.*/end.mtx: No such file or directory$' "$scratch/err"
report $? "an error message keeps both ends of a long file name"
exit $failed
