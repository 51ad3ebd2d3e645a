#!/bin/sh
# irr_emit.sh - irr_plan emit-c: the tables of the C file, what it makes of odd names, and what it refuses.  That the
# file works under MPI is shown by tests/mpi/emit_c.sh.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"

# table NAME: the rows of that table in stdout.
table() {
    sed -n "/^static const .* $1\\[.*{\$/,/^};\$/p" "$scratch/out"
}

# balanced: each synchronisation is waited for once and told once, and the steps divide the table between them.
balanced() {
    table steps | awk -F '[{}, ]+' 'NF > 7 { bad = bad || $5 != entry; entry = $5 + $6 + $7; waits += $6; tells += $7 }
        BEGIN { entry = 0 } END { exit bad || waits != tells || waits == 0 }'
}

# pairs RANKS: each rank sends to each other once, in the same phase in which that one receives from it.
pairs() {
    table steps | awk -F '[{}, ]+' -v ranks="$1" '
        / rank / { rank = $4 }
        NF > 7 && $3 != "NOBODY" { sends++; seen[$2 " " rank " " $3]++; pair[rank " " $3]++ }
        NF > 7 && $4 != "NOBODY" { receives++; seen[$2 " " $4 " " rank]++ }
        END { for (k in seen) bad = bad || seen[k] != 2
              for (k in pair) bad = bad || pair[k] != 1
              exit bad || sends != ranks * (ranks - 1) || receives != sends }'
}

# The cluster of the paper, figure 1, and four switches.
conf figure1 'SwitchName=s0 Nodes=n[0-2]' 'SwitchName=s3 Nodes=n[3-4]' 'SwitchName=s1 Switches=s[0,3] Nodes=n5'
conf four 'SwitchName=s0 Nodes=n[0-5] Switches=s[1-3]' 'SwitchName=s1 Nodes=n[6-11]' \
    'SwitchName=s2 Nodes=n[12-17]' 'SwitchName=s3 Nodes=n[18-23]'

echo 1..26

# ---- the file ----

good emit-c --topology "$scratch/figure1"
report $? "a file is written"
# What each message waits for (04: from rank 0 to rank 4): of the last ones before it on each of its directed links
# those that do not follow from others, or from what its sender received.
#     1  04 10 35 51, none
#     2  13 for 10 and 04, 21 for 51, 45 for 35, 52 for 51
#     3  02 for 04 and 52, 24 for 21 and 13, 50 for 52 and 10
#     4  03 for 02 and 24, 20 for 24 and 50, 32 for 50 and 02
#     5  01 for 03, 14 for 03, 30 for 32 and 20, 43 for 03
#     6  12 for 14 and 32, 23 for 20 and 14 and 43, 31 for 30 and 01
#     7  05 for 01 and 23, 40 for 31
#     8  15 for 12 and 05, 34 for 31, 41 for 40, 53 for none
#     9  25 for 15, 42 for 41 and 12, 54 for 53 and 34
# These are 41.  To keep apart are, in each direction: 10 pairs of messages on the link of each host, which has 5, 36
# on that of s0, which has 9, and 28 on that of s3, which has 8: 2 * (60 + 36 + 28), less those that share the link
# after it, too.  These are, in the direction up, 3 on the two of each host of s0, 6 on those of each host of s3, and
# as many down; 15 on those of s0 and s3, 3 on those of s0 and n5, 1 on those of s3 and n5, and as many the other way.
# So 248 - 2 * (9 + 12 + 15 + 3 + 1) = 168 in all.
cat > "$scratch/expected" << 'END'
/*
 * MPI_Alltoall for one cluster, written by irr_plan emit-c from figure1.
 *
 * 6 ranks on 6 hosts, 9 phases, 41 synchronisations, from which 127 others follow.
END
head -n 4 "$scratch/out" | cmp -s - "$scratch/expected"
report $? "its comment names the topology, without its folder"
! grep -q -e "$scratch" -e '@' "$scratch/out" && [ "$(awk 'length > 115' "$scratch/out" | wc -l)" -eq 0 ]
report $? "nothing is left of the template, and no line is long"
# It tells of what it received, in the list above: of 10 for 13 and 50, of 50 for 20 and 32, of 20 for 30 and 23,
# of 30 for 31, of 40 for 41.
cat > "$scratch/expected" << 'END'
    /* rank 0 */
    { 1, 4, 1, 0, 0, 2 },
    { 3, 2, 5, 2, 2, 2 },
    { 4, 3, 2, 6, 2, 2 },
    { 5, 1, 3, 10, 1, 1 },
    { 7, 5, 4, 12, 2, 1 },
    /* rank 1 */
END
table steps | sed -n 2,8p | cmp -s - "$scratch/expected"
report $? "rank 0 has the phases of the paper's table 4"
balanced
report $? "each synchronisation is waited for, and told"
pairs 6
report $? "each message is sent and received in one phase"
cat > "$scratch/expected" << 'END'
    "n3",
    "n0",
    "n3",
END
good emit-c --topology "$scratch/figure1" --hosts 'n3,n0.site,n3' && table hosts | sed 1d | head -n 3 |
    cmp -s - "$scratch/expected"
report $? "a list says where ranks are"
good emit-c --topology "$scratch/figure1" --ranks 12 && pairs 12 && balanced &&
    [ "$(table hosts | grep -c '"n5"')" -eq 2 ]
report $? "several ranks a host"
good emit-c --topology "$scratch/four" && pairs 24 && balanced && [ "$(lines ' 108 phases')" -eq 1 ]
report $? "four switches, 6 * 18 phases"
good emit-c --topology "$scratch/four" --ranks 2 && [ "$(lines 'TELLS_MAX = 1 ')" -eq 1 ] &&
    [ "$(lines ' 0 synchronisations')" -eq 1 ] && pairs 2
report $? "two ranks have nothing to wait for"
conf 'odd*' 'SwitchName=s Nodes=a&b,c??>d,*/e'
good emit-c --topology "$scratch/odd*" && [ "$(lines '"a.046b"')" -eq 1 ] && [ "$(lines '"c.077.077.076d"')" -eq 1 ] &&
    [ "$(lines '".052.057e"')" -eq 1 ] && [ "$(lines ' from odd_.$')" -eq 1 ]
report $? "names of any kind are quoted"

# speeds LINE: emit-c for two switches, s0 with that line; 0 if both stderr and the comment tell of speeds.
speeds() {
    conf speeds "$1" 'SwitchName=s1 Nodes=n[2-3] NodeSpeed=1' 'SwitchName=s2 Switches=s[0-1] LinkSpeed=7'
    tool emit-c --topology "$scratch/speeds"
    [ $status -eq 0 ] &&
        [ "$(cat "$scratch/err")" = "irr_plan: $scratch/speeds has links of several speeds; $as_if" ] &&
        [ "$(sed -n '5s/^ . //p' "$scratch/out")" = "The cluster has links of several speeds; $as_if." ]
}

as_if="the phases are made as if all links had the speed of a host's"
speeds 'SwitchName=s0 Nodes=n[0-1] LinkSpeed=2' && speeds 'SwitchName=s0 Nodes=n[0-1] NodeSpeed=2'
report $? "links of other speeds are told"
! speeds 'SwitchName=s0 Nodes=n[0-1]' && [ $status -eq 0 ] && [ ! -s "$scratch/err" ] &&
    [ "$(lines 'speeds')" -eq 1 ] && [ "$(lines ' from speeds.$')" -eq 1 ]
report $? "but not where all have one"

# ---- where it goes ----

tool emit-c --topology "$scratch/four" && cp "$scratch/out" "$scratch/expected"
good emit-c --topology "$scratch/four" -o "$scratch/file.c" && [ ! -s "$scratch/out" ] &&
    cmp -s "$scratch/expected" "$scratch/file.c"
report $? "-o writes the same to a file"
(trap '' XFSZ; ulimit -f 8; tool emit-c --topology "$scratch/four" -o "$scratch/file.c"; exit $status)
[ $? -eq 2 ] && [ ! -e "$scratch/file.c" ]
report $? "no half of a file is left"
tool emit-c --topology "$scratch/four" --ranks 400
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] && mb=$(wc -c < "$scratch/out") &&
    [ "$mb" -gt 10000000 ] &&
    phases=$(sed -n 's/.* \([0-9]*\) phases, \([0-9]*\) .*/\1 phases and \2/p' "$scratch/out" | head -n 1) &&
    mb=$(awk "BEGIN { printf \"%.1f\", $mb / 1e6 }") &&
    grep -q -F "irr_plan: stdout: $mb MB for $phases synchronisations" "$scratch/err"
report $? "a large file is told, with its size"
good --help && [ "$(lines '^  emit-c ')" -eq 1 ]
report $? "help has it"

# ---- refused ----

conf large 'SwitchName=s0 Nodes=n[0-1024]'
refused "a full disk" "/dev/full: output cannot be written" emit-c --topology "$scratch/four" -o /dev/full
refused "a folder that is not there" "$scratch/none/x: No such file" \
    emit-c --topology "$scratch/four" -o "$scratch/none/x"
refused "no topology" "emit-c needs --topology" emit-c --ranks 4
refused "a topology that is not there" "$scratch/none: No such file" emit-c --topology "$scratch/none"
refused "one rank" "emit-c writes for 2 to 1024 ranks, not 1" emit-c --topology "$scratch/four" --ranks 1
refused "more ranks than it writes for" "emit-c writes for 2 to 1024 ranks, not 1025" \
    emit-c --topology "$scratch/large"
refused "a host that is not there" "$scratch/four: host 'n99' of rank 1 is not in the topology" \
    emit-c --topology "$scratch/four" --hosts n0,n99
refused "an algorithm" "--algorithm does not go with emit-c, only with print, check and draw" \
    emit-c --topology "$scratch/four" --algorithm direct
refused "counts" "--matrix does not go with emit-c" emit-c --topology "$scratch/four" --matrix "$scratch/none"
exit $failed
