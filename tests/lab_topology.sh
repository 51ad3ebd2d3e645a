#!/bin/sh
# lab_topology.sh - contrib/lab and coll/irr read a topology.conf alike.  They accept and refuse the same files, and
# read the same tree: irr_plan and the lab compute the same bytes on each link.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"

command -v python3 > /dev/null || skip_all "python3 was not found"

cat > "$scratch/links.py" << 'END'
"""links.py LAB FOLDER SPEC...: writes the links of SPEC number N, as irr_plan draws them, to FOLDER/lab.N.

If the lab refuses the SPEC, writes the reason to FOLDER/refused.N.
"""
import html
import sys
sys.path.insert(0, sys.argv[1])
from common import LabError
import topology


def lines(cluster):
    ranks = range(len(cluster.hosts))
    loads = cluster.loads({(i, j): 100 for i in ranks for j in ranks}, cluster.hosts)
    for lower, upper in cluster.links():
        for source, target in ((lower, upper), (upper, lower)):
            speed, base = cluster.factor(source, target)
            yield (html.escape(f"{source} -> {target}: {loads.get((source, target), 0)} bytes", quote=False) +
                   (f", speed {speed}" if speed != base else ""))


for number, spec in enumerate(sys.argv[3:], 1):
    try:
        name, found = "lab", sorted(lines(topology.read(topology.text_of(spec), "conf")))
    except LabError as error:
        name, found = "refused", [str(error)]
    with open(f"{sys.argv[2]}/{name}.{number}", "w") as file:
        print(*found, sep="\n", file=file)
END
links() {
    rm -f "$scratch"/lab.* "$scratch"/refused.*
    python3 -B "$scratch/links.py" "$srcdir/contrib/lab" "$scratch" "$@" 2> "$scratch/err"
}

# texts TEXT...: makes a file of each text, which has the escapes of printf, and lets the lab read all of them.
texts() {
    files= number=0
    for text; do
        number=$((number + 1))
        printf '%b' "$text" > "$scratch/conf.$number"
        files="$files $scratch/conf.$number"
    done
    # shellcheck disable=SC2086
    links $files
}

# same NUMBER: irr_plan and the lab accept $scratch/conf.NUMBER, and read the same tree.
same() {
    [ -e "$scratch/lab.$1" ] && good draw --algorithm direct --unit 100 --topology "$scratch/conf.$1" || return
    sed -n 's/.*<title>\(.* -&gt; .*: [0-9]* bytes.*\)<\/title>.*/\1/p' "$scratch/out" | LC_ALL=C sort > "$scratch/plan"
    diff "$scratch/lab.$1" "$scratch/plan" > "$scratch/out"
}

# alike TEXT...: irr_plan and the lab accept each text and read the same tree.
alike() {
    texts "$@" || return
    for number in $(seq $#); do
        same "$number" || return
    done
}

# neither TEXT...: irr_plan and the lab refuse each text.
neither() {
    texts "$@" || return
    for number in $(seq $#); do
        tool check --algorithm direct --topology "$scratch/conf.$number"
        if [ "$status" -ne 2 ] || [ ! -e "$scratch/refused.$number" ]; then
            cp "$scratch/conf.$number" "$scratch/out"
            return 1
        fi
    done
}

# builds SPEC HOSTS: irr_plan and the lab accept the file that the lab writes for SPEC.  The file has HOSTS hosts.
builds() {
    (cd "$srcdir/contrib/lab" && python3 -B -c 'import sys, topology; print(topology.text_of(sys.argv[1]))' "$1") \
        > "$scratch/conf.1" 2> "$scratch/err" && links "$scratch/conf.1" && same 1 && [ "$(grep -c '^n' "$scratch/lab.1")" -eq "$2" ]
}

# refuses SPEC TEXT: the lab refuses SPEC with TEXT in the error message.
refuses() {
    links "$1" && grep -q -F -e "$2" "$scratch/refused.1"
}

echo 1..14

s1='SwitchName=s1'
two="$s1 Nodes=n[1-2]"
alike "$two" "$two\n" "\n\n  # more\n$two # text \\\\ of \"any\" kind\n" 'Nodes=n[1-2] switchname=s1' "$two\r\n"
report $? "a switch with comments, and keywords in any order, are accepted"
alike 'SwitchName = s1 Nodes = n[1-2]' ' SwitchName\t=\vs1\tNodes= n[1-2]\t' \
    'SwitchName =s1 Nodes\f=n1\rLinkSpeed = 2'
report $? "blanks around = are accepted"
alike 'SwitchName="s1" Nodes="n[1-2]"' "$s1 Nodes=\"n1 n2,,n3, \"" "$s1 Nodes = \"n[1,3]\" LinkSpeed=\"7\""
report $? "values in quotes, and lists with blanks, are accepted"
alike "$two\nSwitchName=n1 Switches=s1 Nodes=s1,s2" 'SwitchName=a Nodes=a,b' \
    'SwitchName=a Nodes=b Switches=b\nSwitchName=b Nodes=a'
report $? "a host and a switch may have the same name"
alike 'SwitchName=<&>.@ Nodes=n1' 'SwitchName=s:1-2 Nodes=n1'
report $? "names of switches may have special characters"
alike "$s1 Nodes=n[8-11]" "$s1 Nodes=n[008-11,2]b" "$s1 Nodes=r[1-2]n[01-3]x,y[7]" "$s1 Nodes=,n1," "$s1 Nodes=n[0-0]"
report $? "names with ranges are accepted"
alike "$s1 \\\\\nNodes=n[1-2] # end" "$s1 Nodes=n\\\\\n[1-2]" "$s1 Nodes=n1\\\\  \n2\n\n" \
    "$s1 Nodes=n1 \\\\ # more\nLinkSpeed=2"
report $? "continued lines are accepted"
alike 'SwitchName=s0 Nodes=n1 Switches=s1 NodeSpeed=10\nSwitchName=s1 Nodes=n2 NodeSpeed=020 LinkSpeed=4294967295' \
    "$s1 Nodes=n1\nSwitchName=s2 Nodes=n2 NodeSpeed=1 LinkSpeed=00000000000003\nSwitchName=s3 Switches=s[1-2]"
report $? "LinkSpeed and NodeSpeed are accepted"
neither '' '\n# none\n' "$s1" "$s1 Nodes=" "$s1 Nodes=\"\"" "$s1 Nodes=\",\"" 'Nodes=n1' "$s1 Nodes=n1 Nodes=n2" \
    "$s1 Nodes=n1 Ports=3" 'SwitchName s1 Nodes=n1' "$s1 Nodes=\"n1" "$s1 Nodes=\"n1\"LinkSpeed=2" "$s1 Nodes=n1\"" \
    "$s1 Nodes=n1\\0000" "$s1 Nodes=n1 =2" 'SwitchName="s 1" Nodes=n1' 'SwitchName=s[1-2] Nodes=n1' \
    'SwitchName=s[1] Nodes=n1'
report $? "malformed lines are refused"
neither "$s1 Nodes=n[5-2]" "$s1 Nodes=n[1-3" "$s1 Nodes=n1-3]" "$s1 Nodes=n[]" "$s1 Nodes=n[1-]" "$s1 Nodes=n[a]" \
    "$s1 Nodes=\"n[1, 2]\"" "$s1 Nodes=n[[1]]" "$s1 Nodes=n[1-999999999999999999]" \
    "$s1 Nodes=n[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]" "$s1 Nodes=n[1-1000000000000000000]" "$s1 Nodes=n'1'" \
    "$s1 Nodes=n\\03031" "$s1 Nodes=$(printf '%0300d' 0)"
report $? "malformed lists of names are refused"
neither "$s1 Nodes=n1 \\\\" "$s1 \\\\ Nodes=n1" "$s1 Nodes=n1 \\\\# more\nLinkSpeed=2" "$s1 Nodes=n1 NodeSpeed=0" \
    "$s1 Nodes=n1 LinkSpeed=4294967296" "$s1 Nodes=n1 LinkSpeed=1k" "SwitchName=s0 Switches=s1 NodeSpeed=2\n$two"
report $? "malformed ends of lines, and malformed speeds, are refused"
neither "$two\n$two" "$two\nSwitchName=s2 Nodes=n2" "$two\nSwitchName=s2 Nodes=n3" "$two Switches=s1" \
    "$two Switches=s2" "$s1 Nodes=n[1,1]" "$s1 Switches=s2,s2\nSwitchName=s2 Nodes=n1" \
    'SwitchName=a Switches=b Nodes=n1\nSwitchName=b Switches=a Nodes=n2' \
    'SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=n1'
report $? "switches that form no tree, and repeated names, are refused"
builds single:3 3 && builds star:2,1,3 6 && builds star:0,2,2 4 && builds chain:2,0,2 4 && builds star:2,2 4
report $? "short forms are accepted, also with a switch without hosts"
printf 'SwitchName=s1 Nodes=n[5-2]\n' > "$scratch/range"
printf 'SwitchName=s1 Nodes=a:b\n' > "$scratch/name"
refuses star:4,0,4 "'star:4,0,4': switch 2 has 0 hosts" && refuses chain:4,0 "'chain:4,0': switch 2 has 0 hosts" &&
    refuses single:0 "it needs at least 1 host" && refuses star:4,x "SPEC is 'star:4,x'" &&
    refuses ring:3 "SPEC is 'ring:3'" && refuses single:1001 "1001 hosts, allowed are 1 to 1000" &&
    refuses "$scratch/range" "conf: line 1: Nodes: range '5-2' descends" &&
    refuses "$scratch/name" "conf: line 1: host 'a:b' cannot be the name of a machine"
report $? "an error message names the input that the lab refuses"
exit $failed
