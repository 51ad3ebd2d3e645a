#!/bin/sh
# irr_topology.sh - irr_plan with a topology.conf, and the converters that make this file from the output of LLDP and
# from Slurm's topology.yaml.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"

conf two 'SwitchName=s0 Nodes=n[0-1]' 'SwitchName=s1 Nodes=n[2-3]' 'SwitchName=top Switches=s[0-1]'
conf star 'SwitchName=s0 Nodes=n[0-3] Switches=s[1-3]' 'SwitchName=s1 Nodes=n[4-7]' 'SwitchName=s2 Nodes=n[8-11]' \
    'SwitchName=s3 Nodes=n[12-15]'

echo 1..79

# ---- print ----

cat > "$scratch/expected" << 'END'
{"algorithm": "direct", "ranks": 3, "hosts": ["n0", "n1", "n2"], "stages": 1,
END
good print --algorithm direct --topology "$scratch/two" --ranks 3 --json &&
    head -n 1 "$scratch/out" | cmp -s "$scratch/expected" -
report $? "ranks fill the hosts in the order of the file"
good print --algorithm grid --topology "$scratch/two" --json &&
    grep -q '"ranks": 4, "dims": \[2, 2\], "hosts": \["n0", "n1", "n2", "n3"\]' "$scratch/out"
report $? "by default each host has one rank"
good print --algorithm direct --topology "$scratch/two" --ranks 6 --json &&
    grep -q '"hosts": \["n0", "n0", "n1", "n2", "n2", "n3"\]' "$scratch/out"
report $? "if ranks are more than hosts, a host has consecutive ranks"
good print --algorithm direct --topology "$scratch/two" --hosts 'n[3,0-1,3].site' --json &&
    grep -q '"ranks": 4, "hosts": \["n3", "n0", "n1", "n3"\]' "$scratch/out"
report $? "--hosts sets the hosts of the ranks, with or without the domain"
# The first topology.conf in docs/topology.md, and its list of hosts.
sed -n '/^SwitchName=/p' "$srcdir/docs/topology.md" | head -n 3 > "$scratch/document"
list=$(sed -n "s/.*--hosts '\([^']*\)'.*/\1/p" "$srcdir/docs/topology.md" | head -n 1)
good print --algorithm direct --topology "$scratch/document" --hosts "$list" --json &&
    grep -q '"ranks": 16, "hosts": \["n000", "n001", ' "$scratch/out"
report $? "the list of hosts in the documents works with their topology.conf"
good print --algorithm direct --topology "$scratch/two" --hosts n0,n3 --rank 1 && counts 1 '^rank 1 is on n3$'
report $? "the plan of a rank as text names its host"

# ---- check ----

shows "direct has contention on the links between switches" 'link_contention=4 load=400 load_link=s0->top' \
    check --algorithm direct --topology "$scratch/two" --unit 100
shows "no message leaves a host that has all ranks" 'link_contention=0 load=0 load_link=none' \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n0,n0
sed 's/\(s[01]\) N/\1 NodeSpeed=10 LinkSpeed=19 N/' "$scratch/two" > "$scratch/fast"
shows "speeds are relative to that of the hosts" 'link_contention=4 load=300 load_link=n0->s0' \
    check --algorithm direct --topology "$scratch/fast" --unit 100
sed 's/\(s[01]\) N/\1 NodeSpeed=25 LinkSpeed=10 N/' "$scratch/two" > "$scratch/slow"
shows "a link may be slower than the hosts" 'link_contention=4 load=1010 load_link=s0->top' \
    check --algorithm direct --topology "$scratch/slow" --unit 101
good check --algorithm random-heap --topology "$scratch/star" --pattern skewed && [ -n "$(value permutations)" ] &&
    [ -n "$(value load_link)" ]
report $? "a schedule is checked on a tree"
good print --algorithm optimal --topology "$scratch/two" --pattern skewed --save "$scratch/saved" &&
    good check --load "$scratch/saved" --topology "$scratch/two" && figures ranks=4 && [ -n "$(value load_link)" ]
report $? "a loaded schedule is checked on a tree"
good check --algorithm balanced-grid --matrix "$srcdir/tests/data/airfoil-8.mtx" --topology "$scratch/star" &&
    figures ranks=8 && [ -n "$(value load_link)" ]
report $? "a matrix is checked on a tree"
good check --algorithm direct --ranks 4 && [ -z "$(value load)$(value link_contention)$(value load_link)" ]
report $? "without a topology there are no links"

# Slurm's users may have LinkSpeed in Mbit/s.  The warning is left out at the top, with NodeSpeed, and for a LinkSpeed
# up to the number of hosts.
conf mbits 'SwitchName=s0 Nodes=n[0-1] LinkSpeed=2' 'SwitchName=s1 Nodes=n[2-3] LinkSpeed=10000' \
    'SwitchName=top Switches=s[0-1] LinkSpeed=10000'
tool check --algorithm tree --topology "$scratch/mbits"
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] && grep -q -x -F "irr_plan: $scratch/mbits: LinkSpeed \
10000 of switch 's1' without NodeSpeed counts as 10000 times a host's link; leave LinkSpeed out, or add NodeSpeed in \
its unit" "$scratch/err"
report $? "a LinkSpeed in another unit causes a warning"
sed 's/\(Nodes=n.2-3.\)/\1 NodeSpeed=1/' "$scratch/mbits" > "$scratch/units"
good check --algorithm tree --topology "$scratch/units" &&
    sed 's/\(2-3.*\)=10000/\1=2/' "$scratch/mbits" > "$scratch/units" &&
    good check --algorithm tree --topology "$scratch/units"
report $? "LinkSpeed with NodeSpeed, or up to the number of hosts, causes no warning"

# ---- tree ----

# contention_free PHASES ROOT ARGUMENT...: true if tree has no contention, PHASES phases, and the root ROOT.
contention_free() {
    phases=$1
    root=$2
    shift 2
    good check --algorithm tree "$@" && figures "phases=$phases" "root=$root" "permutations=$phases" \
        link_contention=0 delivered=ok
}

# short: true if the makespan of the last check is at most 1.05 times the bound of the busiest link.
short() {
    makespan=$(value makespan_bytes)
    bound=$(value link_bound_bytes)
    [ "$bound" -gt 0 ] && [ "$makespan" -ge "$bound" ] && [ $((makespan * 100)) -le $((bound * 105)) ] &&
        [ "$(value link_ratio)" = "$(awk "BEGIN { printf \"%.3f\", $makespan / $bound }")" ]
}

# each_once RANKS: true if the last print --json has one message from each rank to each other rank.
each_once() {
    pairs=$(sed -n 's/^{.*"from":\([0-9]*\),"to":\([0-9]*\),.*/\1 \2/p' "$scratch/out" | sort -u | wc -l)
    [ "$pairs" -eq $(($1 * ($1 - 1))) ] && [ "$(lines '^{"stage"')" -eq "$pairs" ]
}

conf chain 'SwitchName=s0 Nodes=n[0-3] Switches=s1' 'SwitchName=s1 Nodes=n[4-9] Switches=s2' \
    'SwitchName=s2 Nodes=n[10-15] Switches=s3' 'SwitchName=s3 Nodes=n[16-23]'
conf single 'SwitchName=s0 Nodes=n[0-8]'

contention_free 48 s0 --topology "$scratch/star" --unit 100 &&
    figures makespan_bytes=4800 link_bound_bytes=4800 link_ratio=1.000 splits=0
report $? "a star has 4 * 12 phases, as many as the busiest link has messages"
good print --algorithm tree --topology "$scratch/star" --json && each_once 16
report $? "each message is sent once"
contention_free 140 s2 --topology "$scratch/chain" && good print --algorithm tree --topology "$scratch/chain" --json &&
    each_once 24
report $? "a chain has 10 * 14 phases, and its root is not the top switch"
# Each of the 9 ranks waits in 7 phases for two messages: its own of the phase before, and that to its receiver.  The 8
# messages of each of the 18 directed links are 28 pairs that must not overlap, and no pair shares two links.
contention_free 8 s0 --topology "$scratch/single" && [ "$(value syncs)" = $((9 * 7 * 2)) ] &&
    [ "$(value syncs_removed)" = $((18 * 28 - 9 * 7 * 2)) ]
report $? "one switch has one phase less than ranks"
contention_free 48 s0 --topology "$scratch/star" --hosts 'n[0-1,4-5,8-9,12-13],n[12-13,8-9,4-5,0-1]'
report $? "a host with several ranks is treated as a switch"
# Four hosts have two ranks each.  With the node route six messages of 200 bytes leave a host, else twelve of 100 bytes.
contention_free 6 s0 --topology "$scratch/single" --hosts 'n[0-3],n[0-3]' --unit 100 --host-route node &&
    figures stages=2 delivered=ok messages_sent_max=4 makespan_bytes=1200 link_bound_bytes=1200 &&
    contention_free 12 s0 --topology "$scratch/single" --hosts 'n[0-3],n[0-3]' --unit 100 --host-route direct &&
    figures link_bound_bytes=1200
report $? "the node route sends few long messages between hosts"
good check --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --pattern random --host-route node &&
    figures link_contention=0 delivered=ok &&
    good check --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node --pacing sync &&
    figures delivered=ok &&
    good draw --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node &&
    good print --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node --json
report $? "the node route allows different numbers of ranks per host"
contention_free 2 n0 --topology "$scratch/star" --hosts n0,n0,n0 && figures syncs=0 &&
    contention_free 0 s1 --topology "$scratch/star" --hosts n5 && figures link_bound_bytes=0 && [ -z "$(value link_ratio)" ]
report $? "ranks of one host share no link, and one rank sends nothing"
good check --algorithm tree --topology "$scratch/star" --pattern random && figures link_contention=0 && short &&
    [ "$(value phases)" -gt 48 ] && figures root=s0
report $? "irregular counts take at most 1.05 times the bound of the busiest link"
phases=$(value phases)
good check --algorithm tree --topology "$scratch/star" --pattern random --max-steps 60 &&
    [ "$(value phases)" -lt "$phases" ] && figures link_contention=0
report $? "--max-steps limits the phases"
good print --algorithm tree --topology "$scratch/star" --pattern skewed --save "$scratch/saved" &&
    good check --load "$scratch/saved" --topology "$scratch/star" && figures link_contention=0 &&
    [ "$(value syncs)" -gt 0 ] && [ -z "$(value phases)$(value root)" ]
report $? "a loaded schedule has no contention either, but no phases and no root"
good check --algorithm xor --topology "$scratch/star" && [ "$(value link_contention)" -gt 0 ] &&
    figures syncs=unknown syncs_removed=unknown && [ -z "$(value root)" ]
report $? "the synchronisations of steps with contention are unknown"
good check --algorithm tree --ranks 4 && figures permutations=3 && [ -z "$(value phases)$(value root)" ]
report $? "without a topology all ranks are at one switch"
# auto in the tool chooses as auto in a job with a topology file.
good check --algorithm auto --topology "$scratch/star" --unit 100 && figures phases=48 link_contention=0 &&
    good print --algorithm tree --topology "$scratch/star" --json && cp "$scratch/out" "$scratch/expected" &&
    good print --algorithm auto --topology "$scratch/star" --json && cmp -s "$scratch/expected" "$scratch/out" &&
    good draw --algorithm auto --topology "$scratch/star" && counts 1 '<title>tree, 16 ranks<'
report $? "auto chooses tree if the ranks are on several hosts"
good print --algorithm auto --topology "$scratch/star" --hosts n5,n5,n5 --json && counts 1 '^{"algorithm": "direct",' &&
    good print --algorithm auto --ranks 3 --json && counts 1 '^{"algorithm": "direct",'
report $? "auto chooses direct on one host, or without a topology"
good check --algorithm tree --topology "$scratch/star" --pattern skewed --save "$scratch/expected" &&
    good check --algorithm auto --topology "$scratch/star" --pattern skewed --save "$scratch/saved" &&
    cmp -s "$scratch/expected" "$scratch/saved"
report $? "--save with auto saves the schedule of tree"
mesh=$srcdir/tests/data/airfoil-8.mtx
good print --algorithm tree --topology "$scratch/star" --matrix "$mesh" --seed 3 --json &&
    cp "$scratch/out" "$scratch/expected" &&
    good print --algorithm auto --topology "$scratch/star" --matrix "$mesh" --seed 3 --json &&
    cmp -s "$scratch/expected" "$scratch/out"
report $? "auto uses --seed with a matrix"
good --help all && counts 1 '^  tree  ' 1 '^  link_bound_bytes ' 1 '^  link_ratio ' 1 '^  syncs_removed ' \
        1 '^  phases ' 1 '^  root '
report $? "--help all lists tree and its values"
good check --algorithm tree --host-route node --topology "$scratch/two" --ranks 8 --unit 50k --piece 32k &&
    figures delivered=ok && [ "$(value pacing)/$(value piece_bytes)" = sync/32768 ]
report $? "the node route is checked with the pieces of a job"

# Two switches have four hosts each.  Their link carries as many messages at a time as hosts, or half as many.
conf full 'SwitchName=s0 Nodes=n[0-3] NodeSpeed=10000 Switches=s1' \
    'SwitchName=s1 Nodes=n[4-7] NodeSpeed=10000 LinkSpeed=40000'
sed 's/40000/20000/' "$scratch/full" > "$scratch/half"
sed 's/NodeSpeed[^ ]*//; s/Link.*//' "$scratch/full" > "$scratch/plain"
contention_free 7 s0 --topology "$scratch/full" --unit 100 && figures makespan_bytes=700 link_bound_bytes=700 splits=0 &&
    contention_free 8 s0 --topology "$scratch/half" --unit 100 && figures link_bound_bytes=800 &&
    contention_free 16 s0 --topology "$scratch/plain" --unit 100 && figures link_bound_bytes=1600
report $? "a link four times as fast as the hosts reduces 16 phases to 7"
good check --algorithm tree --topology "$scratch/half" --pattern random && figures link_contention=0 && short &&
    [ "$(value syncs)" -gt 0 ]
report $? "irregular counts over a link twice as fast as the hosts have no contention"
good check --algorithm tree --topology "$scratch/slow" --pattern random && figures link_contention=0 delivered=ok &&
    [ "$(value link_bound_bytes)" = "$(value load)" ]
report $? "irregular counts over a link slower than the hosts have no contention"

# ---- draw ----

good draw --algorithm direct --topology "$scratch/two" --unit 100 && counts 4 'class="host"' 3 'class="switch"' \
        12 '<title>[a-z0-9]* -&gt; [a-z0-9]*: [34]00 bytes</title>' 4 '^<g>.*class="busiest"' 0 '>an idle link<' &&
    [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "a picture of the tree marks the busiest links"
good draw --algorithm direct --topology "$scratch/half" --unit 100 && counts 2 '>1600 B / 2<' \
        1 '<title>s1 -&gt; s0: 1600 bytes, speed 20000</title>' \
        1 'the busiest link: s1 -&gt; s0, 800 bytes divided by its speed, and 1 other'
report $? "a picture of the tree shows the speed of a fast link"
good draw --algorithm optimal --topology "$scratch/two" --hosts n0,n0,n1 && counts 2 'class="host"' 1 'class="switch"' \
        1 'rank 0-1<'
report $? "only hosts and switches that ranks use are drawn"
good draw --algorithm direct --topology "$scratch/two" --hosts n0,n0 && counts 2 '^<g>.*class="unused"' \
        1 'no message leaves its host' 1 '^<path class="[a-z]*"'
report $? "the legend of a tree without traffic has no arrow"
conf 'a&b' 'SwitchName=<&> Nodes=a&b,c>d'
good draw --algorithm direct --topology "$scratch/a&b" && [ "$(lines '&lt;&amp;&gt;')" -gt 0 ] && counts 0 '<&>'
report $? "special characters in names are escaped in a picture"

# ---- refused ----

conf lost 'SwitchName=s0 Nodes=n0' '# more' 'SwitchName=s1 Nodes=n0'
conf large 'SwitchName=s0 Nodes=n[0-16384]'
refused "a missing topology file" "$scratch/none: No such file" check --algorithm direct --topology "$scratch/none"
refused "a malformed topology" "$scratch/lost:3: host 'n0' is also connected to switch 's0'" \
    check --algorithm direct --topology "$scratch/lost"
conf nodes 'SwitchName=s0 Switches=s1 NodeSpeed=2' 'SwitchName=s1 Nodes=n0'
refused "NodeSpeed without Nodes" "$scratch/nodes:1: switch 's0' has NodeSpeed, but no Nodes" \
    check --algorithm direct --topology "$scratch/nodes"
refused "a topology with too many hosts" "$scratch/large: 16385 hosts, but irr_plan plans for at most 16384 ranks" \
    check --algorithm direct --topology "$scratch/large"
refused "an unknown host" "$scratch/two: host 'n9' of rank 1 is not in the topology" \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n9
refused "a malformed list of hosts" "--hosts: range '3-1' descends" \
    check --algorithm direct --topology "$scratch/two" --hosts 'n[3-1]'
refused "a list of hosts for another number of ranks" "--hosts has 2 names for 3 ranks" \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n1 --ranks 3
refused "--hosts without a topology" "--hosts goes with --topology only" check --algorithm direct --ranks 2 --hosts n0,n1
refused "the node route without a topology" "--host-route node needs --topology" \
    check --algorithm tree --ranks 4 --host-route node
refused "a schedule file with the node route" "--host-route node needs --topology, and goes with neither --load nor --save" \
    check --algorithm tree --topology "$scratch/two" --host-route node --save "$scratch/none"
refused "the node route with another order" "--host-route node goes with the algorithm tree only, not with random" \
    check --algorithm random --topology "$scratch/two" --host-route node
refused "an unknown host route" "--host-route 'bus' is not one of auto, direct, node" \
    check --algorithm tree --topology "$scratch/two" --host-route bus
refused "--async with a topology" "--async does not go with --topology" \
    draw --algorithm xor --async --topology "$scratch/two"
refused "--save with auto on one host" "--save: algorithm auto has no schedule" \
    check --algorithm auto --topology "$scratch/two" --hosts n0,n0 --save "$scratch/none"
refused "an input with too many bytes for auto" "next: more than 9223372036854775807 bytes in all, which tree" \
    check --algorithm auto --topology "$scratch/large" --ranks 300 --pattern next --unit 1000000000000000

# ---- converters of LLDP and topology.yaml ----

# Four hosts in the formats of lldpcli, one whose name comes from its file, and switches.
lldp=$srcdir/tests/data/lldp
TOOL=lldp2topology

# tool ARGUMENT...: runs a converter, like tool of plan_tap.sh, which it replaces.
tool() {
    python3 "$srcdir/contrib/$TOOL" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# converts NAME ARGUMENT...: reports a case: stdout is equal to $scratch/expected, and irr_plan reads it.
converts() {
    name=$1
    shift
    tool "$@"
    [ $status -eq 0 ] && cmp -s "$scratch/expected" "$scratch/out" && cp "$scratch/out" "$scratch/conf" &&
        "$PLAN" check --algorithm direct --topology "$scratch/conf" > /dev/null
    report $? "$name"
}

from_lldp() {
    cat > "$scratch/expected" << 'END'
# written by lldp2topology
SwitchName=spine Switches=00:1c:0f:00:00:03,leaf[1-2]
SwitchName=00:1c:0f:00:00:03 Nodes=login1
SwitchName=leaf1 Nodes=n[08-09] LinkSpeed=2
SwitchName=leaf2 Nodes=n[10-11]
END
    converts "$1" --interface eth0 "$lldp"/hosts/*.json --switches "$lldp"/switches/*.json

    cat > "$scratch/expected" << 'END'
# written by lldp2topology
SwitchName=00:1c:0f:00:00:03 Nodes=login1
SwitchName=leaf1.example.net Nodes=n[08-09]
SwitchName=leaf2.example.net Nodes=n[10-11]
SwitchName=root Switches=00:1c:0f:00:00:03,leaf[1-2].example.net
END
    converts "$2" --interface eth0 --top root "$lldp"/hosts/*.json

    grep -q "are unknown; all are put below 'root', an invented switch" "$scratch/err"
    report $? "$3"

    cat > "$scratch/expected" << 'END'
# written by lldp2topology
SwitchName=leaf1.example.net Nodes=n08
END
    converts "$4" "$lldp/hosts/n08.json"

    refused "$5" "host 'n09' sees several switches, leaf1.example.net on eth0, mgmt on eno1" "$lldp"/hosts/*.json

    echo '{"lldp": {}}' > "$scratch/alone.json"
    refused "$6" "host 'alone' sees no switch" "$scratch/alone.json"

    head -c 300 "$lldp/hosts/n08.json" > "$scratch/cut.json"
    refused "$7" "$scratch/cut.json: not JSON" "$scratch/cut.json"

    sed 's/spine/leaf2/' "$lldp/switches/leaf1.json" > "$scratch/leaf1.json"
    refused "$8" "the links between switches form a ring" --interface eth0 "$lldp"/hosts/*.json \
        --switches "$scratch/leaf1.json" "$lldp/switches/leaf2.json" "$lldp/switches/spine.json"
    # ended_by names its case itself.
    ended_by INT "$scratch/pipe.json" python3 "$srcdir/contrib/lldp2topology" "$scratch/pipe.json"
    ended_by PIPE "$scratch/pipe.json" python3 "$srcdir/contrib/lldp2topology" --interface eth0 "$lldp"/hosts/*.json
}

# The file has a block topology, a default tree, another tree, and a flat topology.
from_yaml() {
    TOOL=yaml2topology
    cat > "$scratch/topology.yaml" << 'END'
---
# of the cluster
- topology: blocks
  block:
    block_sizes:
      - 4
      - 16
    blocks:
      - block: b1
        nodes: node[01-04]
- topology: small
  tree:
    switches:
      - switch: only
        nodes: "node[01-02]"
- topology: office
  cluster_default: true
  tree:
    switches:
      - switch: root   # at the top
        children: s[1-2]
      - switch: s1
        nodes: node[01-02]
      - switch: s2
        nodes: [node03, node04]
- topology: flat
  flat: true
END
    printf 'SwitchName=%s\n' 'root Switches=s[1-2]' 's1 Nodes=node[01-02]' 's2 Nodes=node03,node04' \
        > "$scratch/expected"
    converts "$1" "$scratch/topology.yaml"
    printf 'SwitchName=%s\n' 'only Nodes=node[01-02]' > "$scratch/expected"
    converts "$2" --topology small "$scratch/topology.yaml"
    ended_by INT "$scratch/pipe.yaml" python3 "$srcdir/contrib/yaml2topology" "$scratch/pipe.yaml"
    ended_by PIPE "$scratch/pipe.yaml" python3 "$srcdir/contrib/yaml2topology" "$scratch/topology.yaml"
    refused "$3" "$scratch/topology.yaml: unknown topology 'large', known are blocks, small, office, flat" --topology large \
        "$scratch/topology.yaml"
    refused "$4" "$scratch/topology.yaml: topology 'blocks' is no tree" --topology blocks "$scratch/topology.yaml"
    printf '%s\n' '- topology: one' '  tree:' '    switches' > "$scratch/cut.yaml"
    refused "$5" "$scratch/cut.yaml:3: 'switches' is not KEY: VALUE" "$scratch/cut.yaml"
    refused "$7" "$scratch/none.yaml: No such file or directory" "$scratch/none.yaml"
    refused "$8" "$scratch: Is a directory" "$scratch"
    printf '\377\376' > "$scratch/bytes.yaml"
    refused "$9" "$scratch/bytes.yaml: is not a text in UTF-8" "$scratch/bytes.yaml"
    printf '%s\n' '- topology: one' '  tree:' '    switches:' > "$scratch/long.yaml"
    for i in $(seq 100); do
        printf '      - switch: switch%s\n        nodes: node%s\n' "$i" "$i"
    done >> "$scratch/long.yaml"
    check "$6" keeps yaml2topology "$scratch/kept.conf" \
        python3 "$srcdir/contrib/yaml2topology" "$scratch/long.yaml" -o "$scratch/kept.conf"
}

# converter FUNCTION NAME...: runs the cases of a converter, or skips them.
converter() {
    cases=$1
    shift
    if command -v python3 > /dev/null; then
        "$cases" "$@"
        return
    fi
    for name; do
        skip "$name" "python3 was not found"
    done
}

converter from_lldp "files of hosts and switches make a topology.conf" \
    "without files of switches one more switch is invented" "a warning names the invented switch" \
    "one file makes one switch" "a host on two networks" "a host without a switch" "a file without JSON" \
    "a ring of switches" "Ctrl-C ends lldp2topology" "a closed pipe ends lldp2topology"
converter from_yaml "the default tree of a topology.yaml is converted" "--topology converts another tree" \
    "an unknown topology" "a topology without a tree" "a malformed topology.yaml" \
    "an earlier file stays until the new one is complete" \
    "a missing topology.yaml" "a folder" "a file of other bytes" \
    "Ctrl-C ends yaml2topology" "a closed pipe ends yaml2topology"
exit $failed
