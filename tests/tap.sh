# tap.sh - what all shell tests share: a scratch folder, and the TAP lines of their cases.

count=0
failed=0
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# report STATUS NAME: one line, and what the case said if it failed, from $scratch/out and $scratch/err.
report() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=1
    echo "not ok $count - $2"
    echo "# exit status $1"
    cat "$scratch/out" "$scratch/err" 2> /dev/null | sed 's/^/# /' | tail -n 60
}

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}
