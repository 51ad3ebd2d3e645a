#!/bin/sh
# irr_simulate.sh - irr_plan simulate and recommend: the times of strategies on a machine, and refused input.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"
mesh=$srcdir/tests/data/airfoil-8.mtx
machines=$srcdir/contrib/machines

# us STRATEGY: prints the time of a strategy in the table.
us() {
    awk -v strategy="$1" '$1 == strategy { print $2 }' "$scratch/out"
}

# A machine that sends and copies one byte per ns.
simple=$scratch/simple
printf '%s\n' 'message 100' 'latency 1000' 'bandwidth 8000' 'copy 1000' > "$simple"

echo 1..66

# ---- simulate ----

file one '3 3 2' '1 2 600' '3 3 99'
cat > "$scratch/expected" << END
# $scratch/one: 3 ranks on 3 nodes; at most 1 messages and 600 bytes a rank, 600 a message
# machine $simple
strategy                         us direct/this   messages   predicted us
direct                          1.7        1.00          1            1.6
END
prints "a message costs its two ends, its bytes and the latency; a block for the rank itself costs nothing" \
    simulate --matrix "$scratch/one" --machine "$simple" --algorithms direct
good simulate --matrix "$scratch/one" --machine "$simple" --algorithms host && [ "$(us host)" != 1.7 ]
report $? "Open MPI sends empty messages"
good simulate --matrix "$scratch/one" --machine "$simple" --algorithms direct --scale 10 && [ "$(us direct)" = 7.1 ]
report $? "--scale scales a matrix"

good simulate --ranks 8 --algorithms host,a1,a3/4x2 && [ "$(us direct)" != "" ] && [ "$(us grid/4x2)" != "" ] &&
    grep -q ' direct/this ' "$scratch/out"
report $? "older names are printed as present names, and without host the speedup is relative to direct"
good simulate --ranks 64 --ranks-per-node 16 --unit 8 && [ "$(wc -l < "$scratch/out")" -eq 11 ] &&
    counts 1 '^# machine as preset$' 1 '^grid/16x4 '
report $? "the default strategies have grids for the nodes"
good simulate --ranks 8 && counts 0 '^node '
report $? "node is left out if each node has one rank"
cp "$scratch/out" "$scratch/before"
good simulate --ranks 8 && cmp -s "$scratch/out" "$scratch/before"
report $? "a repeated simulation gives the same times"
good simulate --ranks 8 -o "$scratch/table" && [ ! -s "$scratch/out" ] && cmp -s "$scratch/table" "$scratch/before"
report $? "-o writes the table to a file"

good simulate --ranks 900 --unit 8 --algorithms direct,direct/loose && cp "$scratch/out" "$scratch/before"
if command -v script > /dev/null; then
    script -qec "'$PLAN' simulate --ranks 900 --unit 8 --algorithms direct,direct/loose" /dev/null > "$scratch/out" < /dev/null
    grep -q 'irr_plan: simulates direct/loose, 2 of 2, [1-9][0-9]* s' "$scratch/out" &&
        tail -n 2 "$scratch/out" | tr -d '\r' | diff - "$scratch/before" | grep -c '^[<>]' | grep -qx 3
    report $? "progress is printed on a terminal"
else
    skip "progress is printed on a terminal" "the command script was not found"
fi
ok=0
for algorithm in $("$PLAN" --list-algorithms | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p'); do
    [ "$algorithm" = redistribution ] && continue
    good simulate --matrix "$mesh" --ranks-per-node 3 --algorithms "direct,$algorithm" &&
        [ -n "$(us "$algorithm")" ] || ok=1
done
report $ok "each algorithm is simulated"
good simulate --redistribute 2,6,3,6 --algorithms redistribution && [ -n "$(us redistribution)" ]
report $? "a redistribution is simulated"
good simulate --pattern sparse --ranks 16 --algorithms direct,tree/loose,random-heap/grant,grid/8x2 &&
    counts 1 '^tree/loose ' 1 '^random-heap/grant ' 1 '^grid/8x2 '
report $? "strategies may have pacings and dimensions"

conf tree 'SwitchName=a Nodes=n[0-1]' 'SwitchName=b Nodes=n[2-3]' 'SwitchName=top Switches=a,b'
file two '4 4 2' '1 3 600' '2 4 600'
good simulate --matrix "$scratch/two" --machine "$simple" --algorithms direct && [ "$(us direct)" = 1.7 ]
report $? "two messages through one switch share no link"
good simulate --matrix "$scratch/two" --machine "$simple" --algorithms direct --topology "$scratch/tree" &&
    [ "$(us direct)" = 2.3 ] && counts 1 ', switches of '
report $? "two messages share a link between switches of a topology"
good simulate --matrix "$scratch/two" --machine "$simple" --algorithms direct --topology "$scratch/tree" \
    --hosts 'n[0,2,1,3]' && [ "$(us direct)" = 1.7 ]
report $? "two messages within their switches share no link"
good simulate --matrix "$scratch/two" --machine "$simple" --algorithms direct --ranks-per-node 2 &&
    [ "$(us direct)" = 2.3 ]
report $? "ranks of a node share its link"
cat "$simple" - > "$scratch/tapered" << END
switch_nodes 2
taper 4
END
good simulate --matrix "$scratch/two" --machine "$scratch/tapered" --algorithms direct && [ "$(us direct)" = 3.5 ]
report $? "a taper reduces the bandwidth of the nodes of a switch"

good simulate --ranks 1024 --ranks-per-node 32 --unit 8 --algorithms grid,node \
    --machine "$machines/infiniband-100g.conf" && [ "$(us grid)" != "" ] && [ "$(us node)" != "" ]
report $? "1024 ranks are simulated"

# ---- recommend ----

good recommend --ranks 1024 --ranks-per-node 32 --unit 8 && [ "$(sed -n '4s/ .*//p' "$scratch/out")" = grid ] &&
    counts 1 '^grid/11x11x11 ' \
        1 '^node .*mpirun -np 1024 --map-by ppr:32:node --mca coll_irr_alltoallv_algorithm node app$' 0 '^direct '
report $? "for short messages, recommend lists grids and node, but not direct"
good recommend --ranks 64 --ranks-per-node 16 --unit 1048576 && [ "$(sed -n '4s/ .*//p' "$scratch/out")" = host ] &&
    counts 1 '^host .*1.00  mpirun -np 64 --map-by ppr:16:node app$'
report $? "for long messages, recommend prefers Open MPI's direct messages"
good recommend --ranks 16 --ranks-per-node 16 &&
    [ "$(sed -n '4s/ .*//p;5s/ .*//p' "$scratch/out" | xargs)" = 'host direct' ] &&
    good recommend --ranks 16 --ranks-per-node 16 --unit 8 && counts 1 '^direct ' 0 '^node ' 0 '^hybrid' &&
    sed -n 4p "$scratch/out" | grep -q '^grid \|^bruck '
report $? "on one node, recommend lists direct messages, and grids for short ones, but not node"
good recommend --ranks 16 --unit 16k --machine "$srcdir/contrib/machines/lab-100m.conf" && counts 1 '^host  *200049\.0 ' \
    1 '^# host: this time is one timeout of TCP' && good recommend --ranks 16 --unit 8k \
    --machine "$srcdir/contrib/machines/lab-100m.conf" && counts 1 '^host  *19846\.3 ' 0 '^# .*timeout'
report $? "recommend says that a time is a timeout of TCP"
good recommend --ranks 64 --unit 65536 && counts 1 '^tree .*algorithm tree app$' 1 '^direct/loose '
report $? "for long messages, recommend lists pacings"
good recommend --ranks 64 --algorithms grid/16x4,direct/loose --unit 2048 &&
    counts 1 'algorithm grid --mca coll_irr_dims 16x4 app$' 1 'algorithm direct --mca coll_irr_pacing loose app$'
report $? "the commands of recommend have parameters for dimensions and pacings"
good recommend --ranks 64 --pattern spike --unit 256 &&
    counts 1 '^hybrid/from:1566 .*algorithm hybrid --mca coll_irr_direct_bytes 1566 app$' &&
    good recommend --ranks 64 --unit 256 && counts 0 '^hybrid'
report $? "recommend lists hybrid if some messages are long"
good simulate --ranks 64 --pattern spike --unit 256 --algorithms grid,hybrid,hybrid/from:100000 &&
    [ "$(us hybrid)" != "$(us grid)" ] && [ "$(us hybrid/from:100000)" = "$(us grid)" ]
report $? "hybrid/from: sets the length from which messages are sent directly"
good recommend --matrix "$mesh" --scale 100000 --topology "$scratch/tree" --algorithms tree &&
    [ "$(lines "algorithm tree --mca coll_irr_topology_file $scratch/tree app\$")" -eq 1 ] &&
    counts 1 '^# the cost of overflowing queues is not predicted'
report $? "the commands of recommend have a parameter for the topology, with a note on the model"
ok=0
for machine in "$machines"/*.conf; do
    good recommend --ranks 256 --ranks-per-node 8 --machine "$machine" && [ "$(lines mpirun)" -gt 0 ] || ok=1
done
report $ok "recommend works for each machine file of the project"

# ---- overflow of queues in switches, compared with measurements on contrib/lab (docs/simulation.md) ----

good recommend --ranks 64 --unit 65536 --machine "$machines/ethernet-25g.conf" &&
    [ "$(awk '$1 == "tree" { print ($3 > 2) }' "$scratch/out")" = 1 ] &&
    [ "$(sed -n '4s/ .*//p' "$scratch/out")" != host ]
report $? "with shallow buffers, recommend ranks paced strategies before Open MPI's own"
good recommend --ranks 64 --unit 65536 --machine "$machines/infiniband-100g.conf" &&
    [ "$(sed -n '4s/ .*//p' "$scratch/out")" = host ]
report $? "without loss, recommend ranks Open MPI's own first"
grep -v '^buffer' "$machines/lab-100m.conf" > "$scratch/deep"
good simulate --ranks 8 --unit 65536 --machine "$scratch/deep" --algorithms host && deep=$(us host) &&
    good simulate --ranks 8 --unit 65536 --machine "$machines/lab-100m.conf" --algorithms host &&
    awk -v deep="$deep" -v us="$(us host)" 'BEGIN { exit !(us > 1.5 * deep) }'
report $? "queues that overflow cost time"

# lab PATTERN RANKS UNIT SWITCHES LINEAR PAIRWISE IRR [LEAST] [MOST]: compares simulated times with the times of linear,
# pairwise and coll/irr in the lab, in ms.  A simulated time must be 0.76 to 1.31 times the measured one; LEAST replaces
# 0.76 for linear, MOST replaces 1.31 for pairwise.  The same strategy must be the fastest, unless the measured times of
# the two differ by less than a factor of 1.04.
lab() {
    "${builddir:-.}/irr_matrix" generate "$1" --ranks "$2" --unit "$3" -o "$scratch/lab.mtx" 2> "$scratch/err"
    "$PLAN" simulate --matrix "$scratch/lab.mtx" ${4:+--topology "$scratch/$4"} --machine "$network" \
        --algorithms host,host/pairwise,tree > "$scratch/out" 2>> "$scratch/err"
    awk -v measured="$5 $6 $7" -v least="${8:-0.76}" -v most="${9:-1.31}" '
        BEGIN { split(measured, m) }
        $1 ~ /^(host|tree)/ { s[++n] = $2 / 1000; simulated = simulated " " s[n] }
        END {
            for (i = 1; i <= 3; i++) {
                bad += s[i] < (i == 1 ? least : 0.76) * m[i] || s[i] > (i == 2 ? most : 1.31) * m[i]
                fast_s = i == 1 || s[i] < s[fast_s] ? i : fast_s
                fast_m = i == 1 || m[i] < m[fast_m] ? i : fast_m
            }
            bad += m[fast_s] > 1.04 * m[fast_m]
            if (bad) { print "# simulated" simulated ", measured " measured }
            exit bad > 0
        }' "$scratch/out"
    report $? "simulated times match measured ones: ${network##*/}, $1, $2 ranks, unit $3${4:+, $4}"
}

hosts='n[1-4]|n[5-8]|n[9-12]|n[13-16]'
echo "$hosts" | awk -F '|' '{ print "SwitchName=s1 Switches=s[2-4] Nodes=" $1
    for (i = 2; i <= 4; i++) print "SwitchName=s" i " Nodes=" $i }' > "$scratch/star"
echo "$hosts" | awk -F '|' '{ for (i = 1; i <= 4; i++)
    print "SwitchName=s" i (i < 4 ? " Switches=s" i + 1 : "") " Nodes=" $i }' > "$scratch/chain"
network=$machines/lab-100m.conf
lab uniform 8 65536 "" 70.0 72.1 47.5
lab random 8 1976 "" 60.5 84.8 54.6
lab sparse 8 3772 "" 24.7 37.6 18.5
lab skewed 8 45056 "" 35.3 45.8 34.6
lab uniform 8 262144 "" 268.9 263.5 170.3
lab uniform 16 8192 star 266.4 36.3 36.4 0.25
lab spike 8 6554 "" 77.2 120.8 76.3
lab uniform 16 65536 star 393 405 342
lab uniform 16 65536 chain 516 474 444

# The same with ports of 25 Mbit/s.  The rules of the simulator were not fitted to these measurements.  The case spike
# is left out, because the simulation is wrong there: linear is the fastest in the lab, tree in the simulation.
sed 's/^bandwidth .*/bandwidth 24/' "$machines/lab-100m.conf" > "$scratch/lab-25m"
network=$scratch/lab-25m
lab uniform 8 8192 "" 31.5 20.0 19.8
lab uniform 8 65536 "" 252 274.5 167.1
lab uniform 8 262144 "" 1098 904 647 0.66 1.52
lab random 8 1976 "" 235.2 314.8 217.7
lab sparse 8 3772 "" 90.1 141.3 75.8
lab skewed 8 45056 "" 141.5 174.2 137.3
lab uniform 16 65536 star 1424 1301 1133
lab uniform 16 65536 chain 1779 1673 1597

# before_loose PATTERN UNIT: recommend and simulate must rank tree before direct with pacing loose.
before_loose() {
    "${builddir:-.}/irr_matrix" generate "$1" --ranks 8 --unit "$2" -o "$scratch/lab.mtx" 2> "$scratch/err"
    good recommend --matrix "$scratch/lab.mtx" --machine "$machines/lab-100m.conf" --algorithms direct/loose,tree &&
        [ "$(sed -n '4s/ .*//p' "$scratch/out")" = tree ] &&
        good simulate --matrix "$scratch/lab.mtx" --machine "$machines/lab-100m.conf" --algorithms direct/loose,tree &&
        awk '$1 ~ /^[dt]/ { us[$1] = $2 } END { exit !(us["tree"] < us["direct/loose"]) }' "$scratch/out"
    report $? "tree is ranked before direct with pacing loose: $1"
}

before_loose random 1976
before_loose sparse 3772
before_loose skewed 45056
before_loose spike 6554

# ---- the regret of the model ----

regret=$srcdir/contrib/regret
rule="the regret of the model is at most 1.1, the regret of trials at most 1.03, and direct alone has a larger regret"
if command -v python3 > /dev/null; then
    "$regret" --build "${builddir:-.}" --ranks 16 --sizes 8,512 > "$scratch/out" 2> "$scratch/err" &&
        [ ! -s "$scratch/err" ] &&
        awk '$1 == "all" { found = $2 == 80 && $3 >= 1 && $3 <= 1.1 && $4 >= 1 && $4 <= 1.03 && $7 > $3 }
            END { exit !found }' "$scratch/out"
    report $? "$rule"
    "$regret" --build "${builddir:-.}" --ranks 0 > "$scratch/out" 2> "$scratch/err"
    [ $? -eq 2 ] && [ ! -s "$scratch/out" ] && grep -q "argument --ranks: '0' is not a number from 1" "$scratch/err"
    report $? "contrib/regret --ranks 0 is refused"
else
    skip "$rule" "python3 was not found"
    skip "contrib/regret --ranks 0 is refused" "python3 was not found"
fi

# ---- refused ----

refused "simulate without ranks" "--ranks or --matrix is missing" simulate
refused "an unknown strategy" "unknown strategy 'direkt', known are host, auto, direct" \
    simulate --ranks 4 --algorithms direct,direkt
refused "recommend with a strategy that the model lacks" "--algorithms: 'host/pairwise': goes with simulate" \
    recommend --ranks 4 --algorithms host/pairwise
refused "a strategy with dimensions but without a grid" "--algorithms: 'direct/2x2': dimensions" recommend --ranks 4 --algorithms direct/2x2
refused "a grid with a pacing" "--algorithms: 'grid/loose': goes with" simulate --ranks 4 --algorithms grid/loose
refused "hybrid/from:0" "--algorithms: 'hybrid/from:0': from: and a number" \
    simulate --ranks 4 --algorithms hybrid/from:0
refused "grid/from:9" "--algorithms: 'grid/from:9': from: and a number" simulate --ranks 4 --algorithms grid/from:9
refused "simulate with --json" "--json does not go with simulate, only with print" simulate --ranks 4 --json
refused "--ranks-per-node with a topology" "--ranks-per-node does not go with --topology" \
    recommend --topology "$scratch/tree" --ranks-per-node 2
refused "check with --machine" "--machine does not go with check, only with simulate and recommend" \
    check --algorithm direct --ranks 4 --machine "$simple"
conf bad 'message 100' 'latency fast'
refused "a malformed machine file" "$scratch/bad:2: latency 'fast' is not an integer from 1 to 1000000000" \
    simulate --ranks 4 --machine "$scratch/bad"
refused "the algorithm redistribution without --redistribute" "--algorithms: 'redistribution': needs --redistribute" \
    simulate --ranks 4 --algorithms redistribution
exit $failed
