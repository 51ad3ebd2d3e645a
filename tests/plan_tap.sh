# plan_tap.sh - what the tests of irr_plan share, beside tap.sh: running it, and looking at what it printed.

. "$srcdir/tests/tap.sh"
PLAN=${builddir:-.}/irr_plan

# plan ARGUMENT...: leaves the exit status in $status, stdout and stderr in $scratch/out and err.
plan() {
    timeout -k 5 120 "$PLAN" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# good ARGUMENT...: exit status 0 and nothing on stderr.
good() {
    plan "$@"
    [ $status -eq 0 ] && [ ! -s "$scratch/err" ]
}

# prints NAME ARGUMENT...: stdout is what stands in $scratch/expected.
prints() {
    name=$1
    shift
    good "$@" && cmp -s "$scratch/expected" "$scratch/out"
    report $? "$name"
}

# lines TEXT: how many lines of stdout have it.
lines() {
    grep -c -e "$1" "$scratch/out"
}

# refused NAME TEXT ARGUMENT...: one line on stderr, which starts with TEXT, nothing on stdout, exit status 2.
refused() {
    name=$1
    text=$2
    shift 2
    plan "$@"
    [ $status -eq 2 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
        grep -q -F "irr_plan: $text" "$scratch/err"
    report $? "$name"
}

# file NAME LINE...: writes a matrix file, a good header and these lines, to $scratch/NAME.
file() {
    name=$scratch/$1
    shift
    printf '%s\n' '%%MatrixMarket matrix coordinate integer general' "$@" > "$name"
}

# value KEY: of the last check.
value() {
    sed -n "s/^$1=//p" "$scratch/out"
}
