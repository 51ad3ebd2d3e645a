#!/bin/sh
# board_plot.sh - contrib/board_plot draws what was measured and prints it as a table; nothing is measured here.

srcdir=${srcdir:-.}
. "$srcdir/tests/tap.sh"
command -v python3 > /dev/null || {
    echo "1..0 # SKIP python3 was not found"
    exit 0
}

# board_plot ARGUMENT...: no jobs; leaves the exit status in $status, stdout and stderr in $scratch/out and err.
board_plot() {
    python3 -B "$srcdir/contrib/board_plot" --rounds 0 --keep "$scratch/kept" -o "$scratch/plot.svg" "$@" \
        > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# Boards are twice as fast as Open MPI's own, and as fast with long blocks, where copying and messages are slower.
python3 -c '
import json, sys
sizes = [8 << i for i in range(14)]
long = lambda size: size >= 32768
rows = {"board": {size: [1.0 if long(size) else 2.0] for size in sizes},
        "copied": {size: [0.5 if long(size) else 2.0] for size in sizes}, "a1": {size: [0.8] for size in sizes}}
json.dump({"2": rows, "4": dict(rows, a1={size: [1.2, 1.1, 1.6] for size in sizes})}, open(sys.argv[1], "w"))
' "$scratch/kept"

echo 1..4
board_plot --ranks 2,4
[ $status -eq 0 ] && grep -qF '| 2 | board | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 1.00 |' "$scratch/out" &&
    grep -qF '| 2 | board, all blocks copied | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 | 0.50 |' "$scratch/out"
report $? "a table of speedups"
grep -qF '| 4 | a1: messages | 1.20 | 1.20 | 1.20 | 1.20 | 1.20 | 1.20 |' "$scratch/out"
report $? "of the medians of all rounds"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/plot.svg" &&
    [ "$(grep -c '<polyline' "$scratch/plot.svg")" -eq 6 ] &&
    [ "$(grep -c ">speedup over Open MPI<" "$scratch/plot.svg")" -eq 2 ] &&
    grep -q "; higher is better<" "$scratch/plot.svg"
report $? "a picture with a curve for each row, higher is better"
board_plot --ranks 8
[ $status -eq 2 ] && grep -q "there is no round of '8'" "$scratch/err"
report $? "what was not measured is not drawn"
exit $failed
