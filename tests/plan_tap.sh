# plan_tap.sh - what the tests of a tool share, beside tap.sh: running it, and looking at what it printed.  TOOL is its
# name, irr_plan unless it is set.

. "$srcdir/tests/tap.sh"
TOOL=${TOOL:-irr_plan}
PLAN=${builddir:-.}/irr_plan
MATRIX=${builddir:-.}/irr_matrix

# tool ARGUMENT...: leaves the exit status in $status, stdout and stderr in $scratch/out and err.
tool() {
    timeout -k 5 120 "${builddir:-.}/$TOOL" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# good ARGUMENT...: exit status 0 and nothing on stderr.
good() {
    tool "$@"
    [ $status -eq 0 ] && [ ! -s "$scratch/err" ]
}

# prints NAME ARGUMENT...: stdout is what stands in $scratch/expected.
prints() {
    name=$1
    shift
    good "$@" && cmp -s "$scratch/expected" "$scratch/out"
    report $? "$name"
}

# says NAME 'LINE...' ARGUMENT...: stdout is exactly these lines, which have no blanks.
says() {
    name=$1
    # The lines are a list of words.
    # shellcheck disable=SC2086
    printf '%s\n' $2 > "$scratch/expected"
    shift 2
    prints "$name" "$@"
}

# lines TEXT: how many lines of stdout have it.
lines() {
    grep -c -e "$1" "$scratch/out"
}

# figures LINE...: each is a whole line of stdout.
figures() {
    for line; do
        grep -q -x -F -e "$line" "$scratch/out" || return 1
    done
}

# shows NAME 'LINE...' ARGUMENT...: stdout has these lines, which have no blanks.
shows() {
    name=$1
    wanted=$2
    shift 2
    # The lines are a list of words.
    # shellcheck disable=SC2086
    good "$@" && figures $wanted
    report $? "$name"
}

# refused NAME TEXT ARGUMENT...: one line on stderr, which starts with TEXT, nothing on stdout, exit status 2.
refused() {
    name=$1
    text=$2
    shift 2
    tool "$@"
    [ $status -eq 2 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
        grep -q -F "$TOOL: $text" "$scratch/err"
    report $? "$name"
}

# file NAME LINE...: writes a matrix file, a good header and these lines, to $scratch/NAME.
file() {
    name=$1
    shift
    conf "$name" '%%MatrixMarket matrix coordinate integer general' "$@"
}

# conf NAME LINE...: writes these lines to $scratch/NAME.
conf() {
    name=$scratch/$1
    shift
    printf '%s\n' "$@" > "$name"
}

# value KEY: of the last check.
value() {
    sed -n "s/^$1=//p" "$scratch/out"
}
