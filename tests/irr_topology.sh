#!/bin/sh
# irr_topology.sh - irr_plan on a tree of switches, and the converters that make the file from what LLDP
# tells, and from Slurm's topology.yaml.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"

conf two 'SwitchName=s0 Nodes=n[0-1]' 'SwitchName=s1 Nodes=n[2-3]' 'SwitchName=top Switches=s[0-1]'
conf star 'SwitchName=s0 Nodes=n[0-3] Switches=s[1-3]' 'SwitchName=s1 Nodes=n[4-7]' 'SwitchName=s2 Nodes=n[8-11]' \
    'SwitchName=s3 Nodes=n[12-15]'

echo 1..75

# ---- print ----

cat > "$scratch/expected" << 'END'
{"algorithm": "direct", "ranks": 3, "hosts": ["n0", "n1", "n2"], "stages": 1,
END
good print --algorithm direct --topology "$scratch/two" --ranks 3 --json &&
    head -n 1 "$scratch/out" | cmp -s "$scratch/expected" -
report $? "ranks fill the hosts in the order of the file"
good print --algorithm grid --topology "$scratch/two" --json &&
    grep -q '"ranks": 4, "dims": \[2, 2\], "hosts": \["n0", "n1", "n2", "n3"\]' "$scratch/out"
report $? "a rank a host, unless more are asked for"
good print --algorithm direct --topology "$scratch/two" --ranks 6 --json &&
    grep -q '"hosts": \["n0", "n0", "n1", "n2", "n2", "n3"\]' "$scratch/out"
report $? "more ranks than hosts are dealt out in blocks"
good print --algorithm direct --topology "$scratch/two" --hosts 'n[3,0-1,3].site' --json &&
    grep -q '"ranks": 4, "hosts": \["n3", "n0", "n1", "n3"\]' "$scratch/out"
report $? "a list says where ranks are, with or without the domain"
# The example of the documents: their first topology.conf, and their list.
sed -n '/^SwitchName=/p' "$srcdir/docs/topology.md" | head -n 3 > "$scratch/document"
list=$(sed -n "s/.*--hosts '\([^']*\)'.*/\1/p" "$srcdir/docs/topology.md" | head -n 1)
good print --algorithm direct --topology "$scratch/document" --hosts "$list" --json &&
    grep -q '"ranks": 16, "hosts": \["n000", "n001", ' "$scratch/out"
report $? "the list that the documents give for their file"
good print --algorithm direct --topology "$scratch/two" --hosts n0,n3 --rank 1 &&
    [ "$(lines '^rank 1 is on n3$')" -eq 1 ]
report $? "the plan of a rank as text says where it is"

# ---- check ----

shows "the rotation contends on the links between switches" 'link_contention=4 load=400 load_link=s0->top' \
    check --algorithm direct --topology "$scratch/two" --unit 100
shows "nothing leaves a host with all ranks" 'link_contention=0 load=0 load_link=none' \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n0,n0
sed 's/\(s[01]\) N/\1 NodeSpeed=10 LinkSpeed=19 N/' "$scratch/two" > "$scratch/fast"
shows "speeds count by that of the hosts" 'link_contention=4 load=300 load_link=n0->s0' \
    check --algorithm direct --topology "$scratch/fast" --unit 100
sed 's/\(s[01]\) N/\1 NodeSpeed=25 LinkSpeed=10 N/' "$scratch/two" > "$scratch/slow"
shows "a link that is slower than the hosts" 'link_contention=4 load=1010 load_link=s0->top' \
    check --algorithm direct --topology "$scratch/slow" --unit 101
good check --algorithm random-heap --topology "$scratch/star" --pattern skewed && [ -n "$(value permutations)" ] &&
    [ -n "$(value load_link)" ]
report $? "a scheduled order on a tree"
good print --algorithm optimal --topology "$scratch/two" --pattern skewed --save "$scratch/saved" &&
    good check --load "$scratch/saved" --topology "$scratch/two" && figures ranks=4 && [ -n "$(value load_link)" ]
report $? "a loaded schedule on a tree"
good check --algorithm balanced-grid --matrix "$srcdir/tests/data/airfoil-8.mtx" --topology "$scratch/star" &&
    figures ranks=8 && [ -n "$(value load_link)" ]
report $? "a matrix on a tree"
good check --algorithm direct --ranks 4 && [ -z "$(value load)$(value link_contention)$(value load_link)" ]
report $? "no links without a topology"

# What Slurm's users have, in Mbit/s; at the top, or beside NodeSpeed, or up to the number of hosts it is none.
conf mbits 'SwitchName=s0 Nodes=n[0-1] LinkSpeed=2' 'SwitchName=s1 Nodes=n[2-3] LinkSpeed=10000' \
    'SwitchName=top Switches=s[0-1] LinkSpeed=10000'
tool check --algorithm tree --topology "$scratch/mbits"
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] && grep -q -x -F "irr_plan: $scratch/mbits: LinkSpeed \
10000 of switch 's1' without NodeSpeed counts as 10000 times a host's link; leave LinkSpeed out, or add NodeSpeed in \
its unit" "$scratch/err"
report $? "a LinkSpeed in another unit is told"
sed 's/\(Nodes=n.2-3.\)/\1 NodeSpeed=1/' "$scratch/mbits" > "$scratch/units"
good check --algorithm tree --topology "$scratch/units" &&
    sed 's/\(2-3.*\)=10000/\1=2/' "$scratch/mbits" > "$scratch/units" &&
    good check --algorithm tree --topology "$scratch/units"
report $? "but not with NodeSpeed, or for as many hosts"

# ---- tree ----

# apart PHASES ROOT ARGUMENT...: tree is free of contention, in so many phases, from that root.
apart() {
    phases=$1
    root=$2
    shift 2
    good check --algorithm tree "$@" && figures "phases=$phases" "root=$root" "permutations=$phases" \
        link_contention=0 delivered=ok
}

# short: the steps of the last check take at most 1.05 times what the busiest link does.
short() {
    makespan=$(value makespan_bytes)
    bound=$(value link_bound_bytes)
    [ "$bound" -gt 0 ] && [ "$makespan" -ge "$bound" ] && [ $((makespan * 100)) -le $((bound * 105)) ] &&
        [ "$(value link_ratio)" = "$(awk "BEGIN { printf \"%.3f\", $makespan / $bound }")" ]
}

# each_once RANKS: the messages of the last print --json are those of each rank to each other, one line a pair.
each_once() {
    pairs=$(sed -n 's/^{.*"from":\([0-9]*\),"to":\([0-9]*\),.*/\1 \2/p' "$scratch/out" | sort -u | wc -l)
    [ "$pairs" -eq $(($1 * ($1 - 1))) ] && [ "$(lines '^{"stage"')" -eq "$pairs" ]
}

conf chain 'SwitchName=s0 Nodes=n[0-3] Switches=s1' 'SwitchName=s1 Nodes=n[4-9] Switches=s2' \
    'SwitchName=s2 Nodes=n[10-15] Switches=s3' 'SwitchName=s3 Nodes=n[16-23]'
conf single 'SwitchName=s0 Nodes=n[0-8]'

apart 48 s0 --topology "$scratch/star" --unit 100 &&
    figures makespan_bytes=4800 link_bound_bytes=4800 link_ratio=1.000 splits=0
report $? "4 * 12 phases, as many as messages cross the busiest link"
good print --algorithm tree --topology "$scratch/star" --json && each_once 16
report $? "each message goes once"
apart 140 s2 --topology "$scratch/chain" && good print --algorithm tree --topology "$scratch/chain" --json &&
    each_once 24
report $? "10 * 14 on a chain, whose root is not at the top"
# Each of the 9 ranks waits in 7 phases for two: its own message of the phase before, and that to its receiver.  Of
# the 8 messages of each of the 18 directed links all 28 pairs keep apart, and no pair shares two links.
apart 8 s0 --topology "$scratch/single" && [ "$(value syncs)" = $((9 * 7 * 2)) ] &&
    [ "$(value syncs_removed)" = $((18 * 28 - 9 * 7 * 2)) ]
report $? "on one switch a phase less than ranks"
apart 48 s0 --topology "$scratch/star" --hosts 'n[0-1,4-5,8-9,12-13],n[12-13,8-9,4-5,0-1]'
report $? "a host with several ranks is a switch with ranks on it"
# Two ranks on each of four hosts: six messages of 200 bytes leave each host, where directly twelve of 100 do.
apart 6 s0 --topology "$scratch/single" --hosts 'n[0-3],n[0-3]' --unit 100 --host-route node &&
    figures stages=2 delivered=ok messages_sent_max=4 makespan_bytes=1200 link_bound_bytes=1200 &&
    apart 12 s0 --topology "$scratch/single" --hosts 'n[0-3],n[0-3]' --unit 100 --host-route direct &&
    figures link_bound_bytes=1200
report $? "the node route in front makes few long messages of many short ones"
good check --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --pattern random --host-route node &&
    figures link_contention=0 delivered=ok &&
    good check --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node --pacing sync &&
    figures delivered=ok &&
    good draw --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node &&
    good print --algorithm tree --topology "$scratch/star" --hosts 'n[0-9],n[3-6],n5' --host-route node --json
report $? "the node route with a different number of ranks on each host"
apart 2 n0 --topology "$scratch/star" --hosts n0,n0,n0 && figures syncs=0 &&
    apart 0 s1 --topology "$scratch/star" --hosts n5 && figures link_bound_bytes=0 && [ -z "$(value link_ratio)" ]
report $? "ranks of one host have no links to share, and one rank nothing to send"
good check --algorithm tree --topology "$scratch/star" --pattern random && figures link_contention=0 && short &&
    [ "$(value phases)" -gt 48 ] && figures root=s0
report $? "irregular counts take at most 1.05 times what the busiest link does"
phases=$(value phases)
good check --algorithm tree --topology "$scratch/star" --pattern random --max-steps 60 &&
    [ "$(value phases)" -lt "$phases" ] && figures link_contention=0
report $? "a limit makes fewer phases"
good print --algorithm tree --topology "$scratch/star" --pattern skewed --save "$scratch/saved" &&
    good check --load "$scratch/saved" --topology "$scratch/star" && figures link_contention=0 &&
    [ "$(value syncs)" -gt 0 ] && [ -z "$(value phases)$(value root)" ]
report $? "what is loaded keeps off links as well, but is not known to be tree"
good check --algorithm xor --topology "$scratch/star" && [ "$(value link_contention)" -gt 0 ] &&
    figures syncs=unknown syncs_removed=unknown && [ -z "$(value root)" ]
report $? "no synchronisation mends steps that contend"
good check --algorithm tree --ranks 4 && figures permutations=3 && [ -z "$(value phases)$(value root)" ]
report $? "without a topology all ranks are at one switch"
# A job with a topology file has no other auto, so neither has the tool.
good check --algorithm auto --topology "$scratch/star" --unit 100 && figures phases=48 link_contention=0 &&
    good print --algorithm tree --topology "$scratch/star" --json && cp "$scratch/out" "$scratch/expected" &&
    good print --algorithm auto --topology "$scratch/star" --json && cmp -s "$scratch/expected" "$scratch/out" &&
    good draw --algorithm auto --topology "$scratch/star" && [ "$(lines '<title>tree, 16 ranks<')" -eq 1 ]
report $? "auto is tree where ranks are on several hosts"
good print --algorithm auto --topology "$scratch/star" --hosts n5,n5,n5 --json &&
    [ "$(lines '^{"algorithm": "direct",')" -eq 1 ] && good print --algorithm auto --ranks 3 --json &&
    [ "$(lines '^{"algorithm": "direct",')" -eq 1 ]
report $? "and direct on one, or without a topology"
good check --algorithm tree --topology "$scratch/star" --pattern skewed --save "$scratch/expected" &&
    good check --algorithm auto --topology "$scratch/star" --pattern skewed --save "$scratch/saved" &&
    cmp -s "$scratch/expected" "$scratch/saved"
report $? "its schedule is saved"
mesh=$srcdir/tests/data/airfoil-8.mtx
good print --algorithm tree --topology "$scratch/star" --matrix "$mesh" --seed 3 --json &&
    cp "$scratch/out" "$scratch/expected" &&
    good print --algorithm auto --topology "$scratch/star" --matrix "$mesh" --seed 3 --json &&
    cmp -s "$scratch/expected" "$scratch/out"
report $? "it takes the seed that orders take beside a matrix"
good --help all && [ "$(lines '^  tree  ')" -eq 1 ] && [ "$(lines '^  link_bound_bytes ')" -eq 1 ] &&
    [ "$(lines '^  link_ratio ')" -eq 1 ] && [ "$(lines '^  syncs_removed ')" -eq 1 ] &&
    [ "$(lines '^  phases ')" -eq 1 ] && [ "$(lines '^  root ')" -eq 1 ]
report $? "help lists the row and its figures"
good check --algorithm tree --host-route node --topology "$scratch/two" --ranks 8 --unit 50k --piece 32k &&
    figures delivered=ok && [ "$(value pacing)/$(value piece_bytes)" = sync/32768 ]
report $? "the node route is proved with the pieces of a job"

# Two switches of four hosts: as many messages as hosts, or half of them, at a time.
conf full 'SwitchName=s0 Nodes=n[0-3] NodeSpeed=10000 Switches=s1' \
    'SwitchName=s1 Nodes=n[4-7] NodeSpeed=10000 LinkSpeed=40000'
sed 's/40000/20000/' "$scratch/full" > "$scratch/half"
sed 's/NodeSpeed[^ ]*//; s/Link.*//' "$scratch/full" > "$scratch/plain"
apart 7 s0 --topology "$scratch/full" --unit 100 && figures makespan_bytes=700 link_bound_bytes=700 splits=0 &&
    apart 8 s0 --topology "$scratch/half" --unit 100 && figures link_bound_bytes=800 &&
    apart 16 s0 --topology "$scratch/plain" --unit 100 && figures link_bound_bytes=1600
report $? "a link four times as fast as hosts: 7 phases in place of 16"
good check --algorithm tree --topology "$scratch/half" --pattern random && figures link_contention=0 && short &&
    [ "$(value syncs)" -gt 0 ]
report $? "irregular counts over a link twice as fast"
good check --algorithm tree --topology "$scratch/slow" --pattern random && figures link_contention=0 delivered=ok &&
    [ "$(value link_bound_bytes)" = "$(value load)" ]
report $? "irregular counts over a link that is slower than the hosts"

# ---- draw ----

good draw --algorithm direct --topology "$scratch/two" --unit 100 && [ "$(lines 'class="host"')" -eq 4 ] &&
    [ "$(lines 'class="switch"')" -eq 3 ] &&
    [ "$(lines '<title>[a-z0-9]* -&gt; [a-z0-9]*: [34]00 bytes</title>')" -eq 12 ] &&
    [ "$(lines '^<g>.*class="busiest"')" -eq 4 ] && [ "$(lines '>carries nothing<')" -eq 0 ] &&
    [ "$(tail -n 1 "$scratch/out")" = '</svg>' ]
report $? "the tree is drawn, with the busiest links"
good draw --algorithm direct --topology "$scratch/half" --unit 100 && [ "$(lines '>1600 B / 2<')" -eq 2 ] &&
    [ "$(lines '<title>s1 -&gt; s0: 1600 bytes, speed 20000</title>')" -eq 1 ] &&
    [ "$(lines 'the busiest: s1 -&gt; s0, 800 bytes divided by its speed, and 1 other')" -eq 1 ]
report $? "a fast link is drawn by its speed"
good draw --algorithm optimal --topology "$scratch/two" --hosts n0,n0,n1 && [ "$(lines 'class="host"')" -eq 2 ] &&
    [ "$(lines 'class="switch"')" -eq 1 ] && [ "$(lines 'rank 0-1<')" -eq 1 ]
report $? "only what ranks use is drawn"
good draw --algorithm direct --topology "$scratch/two" --hosts n0,n0 && [ "$(lines '^<g>.*class="unused"')" -eq 2 ] &&
    [ "$(lines 'no message leaves its host')" -eq 1 ] && [ "$(lines '^<path class="[a-z]*"')" -eq 1 ]
report $? "a tree without traffic, whose legend has no arrow"
conf 'a&b' 'SwitchName=<&> Nodes=a&b,c>d'
good draw --algorithm direct --topology "$scratch/a&b" && [ "$(lines '&lt;&amp;&gt;')" -gt 0 ] &&
    [ "$(lines '<&>')" -eq 0 ]
report $? "names of any kind are drawn"

# ---- refused ----

conf lost 'SwitchName=s0 Nodes=n0' '# more' 'SwitchName=s1 Nodes=n0'
conf large 'SwitchName=s0 Nodes=n[0-2048]'
refused "no topology" "$scratch/none: No such file" check --algorithm direct --topology "$scratch/none"
refused "a malformed topology" "$scratch/lost:3: host 'n0' hangs on switch 's0', too" \
    check --algorithm direct --topology "$scratch/lost"
conf nodes 'SwitchName=s0 Switches=s1 NodeSpeed=2' 'SwitchName=s1 Nodes=n0'
refused "a speed of no hosts" "$scratch/nodes:1: switch 's0' has NodeSpeed, but no Nodes" \
    check --algorithm direct --topology "$scratch/nodes"
refused "more hosts than ranks may be" "$scratch/large: 2049 hosts, irr_plan plans for at most 2048 ranks" \
    check --algorithm direct --topology "$scratch/large"
refused "a host that is not there" "$scratch/two: host 'n9' of rank 1 is not in the topology" \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n9
refused "a malformed list" "--hosts: range '3-1' descends" \
    check --algorithm direct --topology "$scratch/two" --hosts 'n[3-1]'
refused "a list for other ranks" "--hosts has 2 names for 3 ranks" \
    check --algorithm direct --topology "$scratch/two" --hosts n0,n1 --ranks 3
refused "hosts without a topology" "--hosts goes with --topology only" check --algorithm direct --ranks 2 --hosts n0,n1
refused "the node route without hosts" "--host-route node needs --topology" \
    check --algorithm tree --ranks 4 --host-route node
refused "a file of forwarded messages" "--host-route node needs --topology, and goes with neither --load nor --save" \
    check --algorithm tree --topology "$scratch/two" --host-route node --save "$scratch/none"
refused "the node route with another order" "--host-route node goes with tree, not with random" \
    check --algorithm random --topology "$scratch/two" --host-route node
refused "a host route that there is not" "--host-route 'bus' is not one of auto, direct, node" \
    check --algorithm tree --topology "$scratch/two" --host-route bus
refused "a tree over time" "--async does not go with --topology" \
    draw --algorithm xor --async --topology "$scratch/two"
refused "auto's schedule where all ranks are on one host" "--save: algorithm auto has no schedule" \
    check --algorithm auto --topology "$scratch/two" --hosts n0,n0 --save "$scratch/none"
refused "more bytes than auto can schedule" "next: more than 9223372036854775807 bytes in all, which tree" \
    check --algorithm auto --topology "$scratch/large" --ranks 300 --pattern next --unit 1000000000000000
# ---- from LLDP ----

# Four hosts in the formats of lldpcli, one whose name comes from its file, and switches.
lldp=$srcdir/tests/data/lldp
converter=lldp2topology

# convert ARGUMENT...: leaves the exit status in $status, stdout and stderr in $scratch/out and err.
convert() {
    python3 "$srcdir/contrib/$converter" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    status=$?
}

# converts NAME ARGUMENT...: stdout is $scratch/expected, and irr_plan reads it.
converts() {
    name=$1
    shift
    convert "$@"
    [ $status -eq 0 ] && cmp -s "$scratch/expected" "$scratch/out" && cp "$scratch/out" "$scratch/conf" &&
        "$PLAN" check --algorithm direct --topology "$scratch/conf" > /dev/null
    report $? "$name"
}

# declines NAME TEXT ARGUMENT...: one line on stderr with TEXT, nothing on stdout, exit status 2.
declines() {
    name=$1
    text=$2
    shift 2
    convert "$@"
    [ $status -eq 2 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] &&
        grep -q -F "$converter: $text" "$scratch/err"
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

    declines "$5" "host 'n09' sees several switches, leaf1.example.net on eth0, mgmt on eno1" "$lldp"/hosts/*.json

    echo '{"lldp": {}}' > "$scratch/alone.json"
    declines "$6" "host 'alone' sees no switch" "$scratch/alone.json"

    head -c 300 "$lldp/hosts/n08.json" > "$scratch/cut.json"
    declines "$7" "$scratch/cut.json: not JSON" "$scratch/cut.json"

    sed 's/spine/leaf2/' "$lldp/switches/leaf1.json" > "$scratch/leaf1.json"
    declines "$8" "the links between switches form a ring" --interface eth0 "$lldp"/hosts/*.json \
        --switches "$scratch/leaf1.json" "$lldp/switches/leaf2.json" "$lldp/switches/spine.json"
    # ended_by names its case itself.
    ended_by INT "$scratch/pipe.json" python3 "$srcdir/contrib/lldp2topology" "$scratch/pipe.json"
    ended_by PIPE "$scratch/pipe.json" python3 "$srcdir/contrib/lldp2topology" --interface eth0 "$lldp"/hosts/*.json
}

# The file has a block topology, a default tree, another tree, and a flat topology.
from_yaml() {
    converter=yaml2topology
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
    declines "$3" "unknown topology 'large', known are blocks, small, office, flat" --topology large \
        "$scratch/topology.yaml"
    declines "$4" "$scratch/topology.yaml: topology 'blocks' is no tree" --topology blocks "$scratch/topology.yaml"
    printf '%s\n' '- topology: one' '  tree:' '    switches' > "$scratch/cut.yaml"
    declines "$5" "$scratch/cut.yaml:3: 'switches' is not KEY: VALUE" "$scratch/cut.yaml"
}

set -- "files of hosts and switches make a topology.conf" "without files of switches one more switch is invented" \
    "a warning names the invented switch" "one file makes one switch" "a host on two networks is refused" \
    "a host without a switch is refused" "a file without JSON is refused" "a ring of switches is refused" \
    "Ctrl-C ends lldp2topology" "a closed pipe ends lldp2topology"
if command -v python3 > /dev/null; then
    from_lldp "$@"
else
    for name; do
        skip "$name" "there is no python3"
    done
fi
set -- "the default tree of a topology.yaml is converted" "--topology converts another tree" \
    "an unknown topology is refused" "a topology without a tree is refused" "a malformed topology.yaml is refused" \
    "Ctrl-C ends yaml2topology" "a closed pipe ends yaml2topology"
if command -v python3 > /dev/null; then
    from_yaml "$@"
else
    for name; do
        skip "$name" "there is no python3"
    done
fi
exit $failed
