# plan_tap.sh - shared by the tests of a tool, in addition to tap.sh: functions that run the tool and check its output.
# TOOL is the name of the tool, by default irr_plan.

. "$srcdir/tests/tap.sh"
TOOL=${TOOL:-irr_plan}
PLAN=${builddir:-.}/irr_plan
MATRIX=${builddir:-.}/irr_matrix

# tool ARGUMENT...: runs the tool.  $status is the exit status; $scratch/out and err have stdout and stderr.
tool() {
    timeout -k 5 120 "${builddir:-.}/$TOOL" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# good ARGUMENT...: runs the tool; true if the exit status is 0 and stderr is empty.
good() {
    tool "$@"
    [ $status -eq 0 ] && [ ! -s "$scratch/err" ]
}

# prints NAME ARGUMENT...: reports a case: stdout is equal to $scratch/expected.
prints() {
    name=$1
    shift
    good "$@" && cmp -s "$scratch/expected" "$scratch/out"
    report $? "$name"
}

# says NAME 'LINE...' ARGUMENT...: reports a case: stdout is equal to these lines, which have no blanks.
says() {
    name=$1
    # The lines are a list of words.
    # shellcheck disable=SC2086
    printf '%s\n' $2 > "$scratch/expected"
    shift 2
    prints "$name" "$@"
}

# lines TEXT: prints the number of lines of stdout that have TEXT.
lines() {
    grep -c -e "$1" "$scratch/out"
}

# counts NUMBER TEXT...: true if stdout has this number of lines with each text.
counts() {
    while [ $# -gt 0 ]; do
        [ "$(lines "$2")" -eq "$1" ] || return 1
        shift 2
    done
}

# figures LINE...: true if stdout has each of these lines.
figures() {
    for line; do
        grep -q -x -F -e "$line" "$scratch/out" || return 1
    done
}

# shows NAME 'LINE...' ARGUMENT...: reports a case: stdout has these lines, which have no blanks.
shows() {
    name=$1
    wanted=$2
    shift 2
    # The lines are a list of words.
    # shellcheck disable=SC2086
    good "$@" && figures $wanted
    report $? "$name"
}

# ends STATUS TEXT ARGUMENT...: the tool ends with STATUS; stdout is empty, stderr is one line with TEXT.
ends() {
    wanted=$1
    text=$2
    shift 2
    tool "$@"
    [ $status -eq "$wanted" ] && [ ! -s "$scratch/out" ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
        grep -q -F "$TOOL: $text" "$scratch/err"
}

# refused INPUT TEXT ARGUMENT...: reports the case "INPUT is refused": the exit status is 2.
refused() {
    name=$1
    shift
    ends 2 "$@"
    report $? "$name is refused"
}

# fails CASE TEXT ARGUMENT...: reports the case "CASE fails": the exit status is 1.
fails() {
    name=$1
    shift
    ends 1 "$@"
    report $? "$name fails"
}

# file NAME LINE...: writes a matrix file, with a correct header and these lines, to $scratch/NAME.
file() {
    written=$1
    shift
    conf "$written" '%%MatrixMarket matrix coordinate integer general' "$@"
}

# conf NAME LINE...: writes these lines to $scratch/NAME.
conf() {
    written=$scratch/$1
    shift
    printf '%s\n' "$@" > "$written"
}

# value KEY: prints a value of the last check.
value() {
    sed -n "s/^$1=//p" "$scratch/out"
}
