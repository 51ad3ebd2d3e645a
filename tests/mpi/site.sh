#!/bin/sh
# site.sh - contrib/site writes one page and one JSON file about a machine, without private names.

srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
builddir=$(cd "${builddir:-.}" && pwd)

command -v python3 > /dev/null || skip_all "python3 was not found"
plan 4

site() { timeout -k 5 "$LIMIT" "$srcdir/contrib/site" --build "$builddir" "$@" > "$scratch/run" 2>&1; }
measures() {
    site --launcher "$MPIRUN" --ranks 2 --minutes 0.1 --max 16 -o "$scratch/site" || { cat "$scratch/run"; return 1; }
    grep -c 'all bytes right' "$scratch/run" && ! grep 'WRONG' "$scratch/run"
}
# The page has no reference to other files: all pictures are inside.
has_page() {
    grep -q '</html>' "$scratch/site.html" && [ "$(grep -c '<svg' "$scratch/site.html")" -ge 3 ] &&
        ! grep -E '<(img|script|link)' "$scratch/site.html" &&
        python3 -c 'import json, sys; jobs = json.load(open(sys.argv[1]))["jobs"]
sys.exit(len(jobs) < 3 or any(len(job["results"]) != 2 for job in jobs))' "$scratch/site.json"
}
is_private() { ! grep -F -e "$(hostname)" -e "$scratch" -e "$builddir" -e "$HOME/" "$scratch/site.html" "$scratch/site.json"; }
refuses() {
    for option in "--ranks 1" "--ranks two" "--minutes 0" "--minutes many" "--build $scratch" "--nonsense"; do
        # shellcheck disable=SC2086
        site $option
        [ $? -eq 2 ] || { echo "$option"; cat "$scratch/run"; return 1; }
    done
    site --launcher false --ranks 2
    [ $? -eq 1 ]
}

check "jobs of two ranks" measures
check "a page with plots, and the same numbers in JSON" has_page
check "page and JSON contain no names of hosts or files" is_private
check "wrong options, and a launcher that fails" refuses
exit $failed
