#!/bin/sh
# irr_emit.sh - irr_plan emit-c: the tables of the C file, special characters in names, and refused input.
# tests/mpi/emit_c.sh runs such a file under MPI.

srcdir=${srcdir:-.}
. "$srcdir/tests/plan_tap.sh"

# table NAME: prints the rows of a table in stdout.
table() {
    sed -n "/^static const .* $1\\[.*{\$/,/^};\$/p" "$scratch/out"
}

# balanced: true if the entries of the steps cover the table in order, with as many signals as waits.
balanced() {
    table steps | awk -F '[{}, ]+' '
        NF > 7 { bad = bad || $5 != entry; entry = $5 + $6 + $7; waits += $6; signals += $7 }
        BEGIN { entry = 0 } END { exit bad || waits != signals || waits == 0 }'
}

# pairs RANKS: true if each rank sends to each other rank once, and both have the message in the same phase.
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
# The list has the messages of each phase (04: from rank 0 to rank 4), and after `for` the messages that each message
# waits for.  A message waits for the last earlier message on each of its directed links, unless another wait or a
# message that its sender received implies this wait.
#     1  04 10 35 51, none
#     2  13 for 10 and 04, 21 for 51, 45 for 35, 52 for 51
#     3  02 for 04 and 52, 24 for 21 and 13, 50 for 52 and 10
#     4  03 for 02 and 24, 20 for 24 and 50, 32 for 50 and 02
#     5  01 for 03, 14 for 03, 30 for 32 and 20, 43 for 03
#     6  12 for 14 and 32, 23 for 20 and 14 and 43, 31 for 30 and 01
#     7  05 for 01 and 23, 40 for 31
#     8  15 for 12 and 05, 34 for 31, 41 for 40, 53 for none
#     9  25 for 15, 42 for 41 and 12, 54 for 53 and 34
# The list has 41 waits.  Messages that share a directed link must not overlap.  In each direction, 10 pairs of messages
# share the link of a host, which has 5 messages; 36 pairs share that of s0, which has 9; 28 pairs share that of s3,
# which has 8: 2 * (60 + 36 + 28) = 248.  The sum counts a pair that shares two links twice: upwards 3 for each host of
# s0 and 6 for each host of s3, and as many downwards; 15 for s0 and s3, 3 for s0 and n5, 1 for s3 and n5, and as many
# in the other direction.  So there are 248 - 2 * (9 + 12 + 15 + 3 + 1) = 168 pairs.
cat > "$scratch/expected" << 'END'
/*
 * MPI_Alltoall for one cluster, written by irr_plan emit-c from figure1.
 *
 * 6 ranks on 6 hosts, 9 phases, 41 synchronisations, from which 127 others follow.
END
head -n 4 "$scratch/out" | cmp -s - "$scratch/expected"
report $? "the comment of the file names the topology without its folder"
! grep -q -e "$scratch" -e '@' "$scratch/out" && [ "$(awk 'length > 115' "$scratch/out" | wc -l)" -eq 0 ]
report $? "no placeholder of the template is left, and no line is longer than 115"
# Rank 0 signals the end of messages that it received, in the list above: of 10 for 13 and 50, of 50 for 20 and 32, of
# 20 for 30 and 23, of 30 for 31, of 40 for 41.
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
report $? "each synchronisation has a wait and a signal"
pairs 6
report $? "a message is sent and received in the same phase"
cat > "$scratch/expected" << 'END'
    "n3",
    "n0",
    "n3",
END
good emit-c --topology "$scratch/figure1" --hosts 'n3,n0.site,n3' && table hosts | sed 1d | head -n 3 |
    cmp -s - "$scratch/expected"
report $? "--hosts sets the hosts of the ranks"
good emit-c --topology "$scratch/figure1" --ranks 12 && pairs 12 && balanced &&
    [ "$(table hosts | grep -c '"n5"')" -eq 2 ]
report $? "a host may have several ranks"
good emit-c --topology "$scratch/four" && pairs 24 && balanced && counts 1 ' 108 phases'
report $? "four switches need 6 * 18 phases"
good emit-c --topology "$scratch/four" --ranks 2 && counts 1 'SIGNALS_MAX = 1 ' 1 ' 0 synchronisations' && pairs 2
report $? "two ranks need no synchronisation"
conf 'odd*' 'SwitchName=s Nodes=a&b,c??>d,*/e'
good emit-c --topology "$scratch/odd*" && counts 1 '"a.046b"' 1 '"c.077.077.076d"' 1 '".052.057e"' 1 ' from odd_.$'
report $? "special characters in names are quoted"

# speeds LINE: runs emit-c for two switches; LINE is that of s0.  True if stderr and the comment have the warning.
speeds() {
    conf speeds "$1" 'SwitchName=s1 Nodes=n[2-3] NodeSpeed=1' 'SwitchName=s2 Switches=s[0-1] LinkSpeed=7'
    tool emit-c --topology "$scratch/speeds"
    [ $status -eq 0 ] &&
        [ "$(cat "$scratch/err")" = "irr_plan: $scratch/speeds has links of several speeds; $as_if" ] &&
        [ "$(sed -n '5s/^ . //p' "$scratch/out")" = "The cluster has links of several speeds; $as_if." ]
}

as_if="the phases are made as if all links had the speed of a host's"
speeds 'SwitchName=s0 Nodes=n[0-1] LinkSpeed=2' && speeds 'SwitchName=s0 Nodes=n[0-1] NodeSpeed=2'
report $? "links of several speeds cause a warning"
! speeds 'SwitchName=s0 Nodes=n[0-1]' && [ $status -eq 0 ] && [ ! -s "$scratch/err" ] && counts 1 'speeds' \
        1 ' from speeds.$'
report $? "equal speeds cause no warning"

# ---- output ----

tool emit-c --topology "$scratch/four" && cp "$scratch/out" "$scratch/expected"
rm -f "$scratch/link" && ln -s file.c "$scratch/link"
good emit-c --topology "$scratch/four" -o "$scratch/link" && [ -h "$scratch/link" ] && [ ! -s "$scratch/out" ] &&
    cmp -s "$scratch/expected" "$scratch/file.c"
report $? "-o writes the same output to a file, also through a link"
check "an earlier file stays until the new one is complete" \
    keeps irr_plan "$scratch/file.c" "$PLAN" emit-c --topology "$scratch/four" -o "$scratch/file.c"
tool emit-c --topology "$scratch/four" --ranks 400
[ $status -eq 0 ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] && mb=$(wc -c < "$scratch/out") &&
    [ "$mb" -gt 10000000 ] &&
    phases=$(sed -n 's/.* \([0-9]*\) phases, \([0-9]*\) .*/\1 phases and \2/p' "$scratch/out" | head -n 1) &&
    mb=$(awk "BEGIN { printf \"%.1f\", $mb / 1e6 }") &&
    grep -q -F "irr_plan: stdout: $mb MB for $phases synchronisations" "$scratch/err"
report $? "a large file causes a warning with its size"
good --help && counts 1 '^  emit-c '
report $? "--help lists emit-c"

# ---- refused ----

conf large 'SwitchName=s0 Nodes=n[0-1024]'
fails "emit-c to a full disk" "/dev/full: No space left on device" \
    emit-c --topology "$scratch/four" -o /dev/full
refused "emit-c to a missing folder" "$scratch/none/x: No such file" \
    emit-c --topology "$scratch/four" -o "$scratch/none/x"
refused "emit-c without a topology" "emit-c needs --topology" emit-c --ranks 4
refused "emit-c with a missing topology" "$scratch/none: No such file" emit-c --topology "$scratch/none"
refused "emit-c for one rank" "emit-c writes for 2 to 1024 ranks, not 1" \
    emit-c --topology "$scratch/four" --ranks 1
refused "emit-c for 1025 ranks" "emit-c writes for 2 to 1024 ranks, not 1025" \
    emit-c --topology "$scratch/large"
refused "emit-c with an unknown host" "$scratch/four: host 'n99' of rank 1 is not in the topology" \
    emit-c --topology "$scratch/four" --hosts n0,n99
refused "emit-c with an algorithm" \
    "--algorithm does not go with emit-c, only with print, check and draw" \
    emit-c --topology "$scratch/four" --algorithm direct
refused "emit-c with counts" "--matrix does not go with emit-c" \
    emit-c --topology "$scratch/four" --matrix "$scratch/none"
exit $failed
