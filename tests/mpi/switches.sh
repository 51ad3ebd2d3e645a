#!/bin/sh
# switches.sh - the switches that Slurm names to each rank: a tree that all have is used, and anything else ignored on
# all ranks alike, with one text.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
OMPI_MCA_coll_irr_alltoallv_algorithm=tree

# A rank has the address of its place in $addresses, or none where a - is, and the pattern.
cat > "$scratch/slurm" << 'END'
#!/bin/sh
address=$(echo "$addresses" | cut -d ' ' -f $((OMPI_COMM_WORLD_RANK + 1)))
[ "$address" = - ] || export SLURM_TOPOLOGY_ADDR="$address" SLURM_TOPOLOGY_ADDR_PATTERN="$pattern"
exec "$@"
END
chmod +x "$scratch/slurm"

# with PATTERN "ADDRESS..." COMMAND...: eight ranks, two a node, of which each has its address.
with() {
    pattern=$1 addresses=$2
    shift 2
    export pattern addresses
    ranks 8 --mca coll_irr_ranks_per_node 2 "$@"
}

# The row of irr_bench: every byte was right, by whatever was fastest where the ranks choose.
right() { grep -q "^ *\(tree\|auto\)[^ ]* .* yes\$" "$scratch/run"; }

# used SWITCHES SOURCE OPTIONS...: results are right, and a line says how many switches there are.
used() {
    text="are on 4 nodes at $1 switches, as $2"
    shift 2
    shown "$@" && right && [ "$(lines "$text")" -gt 0 ] && [ "$(lines 'are not used')" -eq 0 ]
}

# ignored TEXT COMMAND...: results are right, one switch is assumed, and one line says why.
ignored() {
    text=$1
    shift
    shown "$@" && right && [ "$(lines 'are on 4 nodes at 1 switches, as is assumed')" -gt 0 ] &&
        [ "$(lines 'SLURM_TOPOLOGY_ADDR are not used')" -eq 1 ] && [ "$(lines "are not used, .*: $text")" -eq 1 ]
}

# refused TEXT COMMAND...: results are right, Open MPI serves, and one text says why, once.
refused() {
    one_message "$@" && grep -q "^ *auto(host) .* yes\$" "$scratch/run" &&
        [ "$(flat | grep -o "$1" | wc -l)" -eq 1 ]
}

run="--mca coll_irr_verbose 10 $scratch/slurm $builddir/irr_bench -c --pattern random --unit 1000 --algorithms tree -i 40 -x 0"
tree="s.l0.n0 s.l0.n0 s.l0.n1 s.l0.n1 s.l1.n2 s.l1.n2 s.l1.n3 s.l1.n3"
echo "SwitchName=top Nodes=other[0-3]" > "$scratch/topology.conf"
plan 12
# shellcheck disable=SC2086
{
    check "a tree that all have" used 3 "SLURM_TOPOLOGY_ADDR says" with switch.switch.node "$tree" $run
    check "no rank has one" used 1 "is assumed" with node "- - - - - - - -" $run
    check "it names no switch" used 1 "is assumed" with node "n0 n0 n1 n1 n2 n2 n3 n3" $run
    check "a rank has none" ignored "SLURM_TOPOLOGY_ADDR is not set on rank 3" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 - s.l1.n2 s.l1.n2 s.l1.n3 -" $run
    check "nonsense" ignored "rank 5 has 's.l/1.n2'" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 s.l0.n1 s.l1.n2 s.l/1.n2 s.l1.n3 s.l1.n3" $run
    check "a pattern of other things" ignored "rank 0 has" with block.block.node "$tree" $run
    check "a node under two switches" ignored "'n3' is below switch" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 s.l0.n1 s.l1.n2 s.l1.n2 s.l1.n3 s.l0.n3" $run
    check "two trees" ignored "'s' and 't' are at the top" with switch.node \
        "s.n0 s.n0 s.n1 s.n1 t.n2 t.n2 t.n3 t.n3" $run
    check "other nodes than the job's" ignored "the nodes in SLURM_TOPOLOGY_ADDR are not those of the job" with switch.node \
        "s.n0 s.n0 s.n0 s.n0 s.n2 s.n2 s.n3 s.n3" $run
    check "a file is stronger" says "none of its hosts" with switch.switch.node "$tree" \
        --mca coll_irr_topology_file "$scratch/topology.conf" "$scratch/slurm" "$builddir/irr_bench" -c \
        --algorithms tree -i 1 -x 0
    check "a file has priority where the ranks choose, too, and one message says so" refused "none of its hosts" \
        with switch.switch.node "$tree" --mca coll_irr_topology_file "$scratch/topology.conf" \
        --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_setup_share 1000000000 "$scratch/slurm" \
        "$builddir/irr_bench" -c --unit 32768 -i 300 --algorithms auto
    check "where the ranks choose, too" used 3 "SLURM_TOPOLOGY_ADDR says" with switch.switch.node "$tree" \
        --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_setup_share 1000000000 --mca coll_irr_verbose 10 \
        "$scratch/slurm" "$builddir/irr_bench" -c --unit 32768 -i 150 --algorithms auto
}
exit $failed
