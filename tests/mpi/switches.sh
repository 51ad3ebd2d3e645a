#!/bin/sh
# switches.sh - the environment variables with which Slurm names the switches above each rank: coll/irr uses them if
# they form a tree; otherwise all ranks ignore them, and one line says why.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
OMPI_MCA_coll_irr_alltoallv_algorithm=tree

# The script slurm sets the variables of a rank: word number `rank` of $addresses, unless it is -, and the pattern.
cat > "$scratch/slurm" << 'END'
#!/bin/sh
address=$(echo "$addresses" | cut -d ' ' -f $((OMPI_COMM_WORLD_RANK + 1)))
[ "$address" = - ] || export SLURM_TOPOLOGY_ADDR="$address" SLURM_TOPOLOGY_ADDR_PATTERN="$pattern"
exec "$@"
END
chmod +x "$scratch/slurm"

# with PATTERN "ADDRESS..." COMMAND...: runs eight ranks, two per node, each with an address.
with() {
    pattern=$1 addresses=$2
    shift 2
    export pattern addresses
    ranks 8 --mca coll_irr_ranks_per_node 2 "$@"
}

# right: irr_bench has verified the row of tree or auto.
right() { grep -q "^ *\(tree\|auto\)[^ ]* .* yes\$" "$scratch/run"; }

# used SWITCHES SOURCE COMMAND...: results are right, and a line says how many switches there are, and who says so.
used() {
    text="are on 4 nodes at $1 switches, as $2"
    shift 2
    shown "$@" && right && [ "$(lines "$text")" -gt 0 ] && [ "$(lines 'are not used')" -eq 0 ]
}

# ignored TEXT COMMAND...: results are right, the ranks assume one switch, and one line with TEXT says why.
ignored() {
    text=$1
    shift
    shown "$@" && right && [ "$(lines 'are on 4 nodes at 1 switches, as is assumed')" -gt 0 ] &&
        [ "$(lines 'SLURM_TOPOLOGY_ADDR are not used')" -eq 1 ] && [ "$(lines "are not used, .*: $text")" -eq 1 ]
}

# refused TEXT COMMAND...: results are right, Open MPI serves, and one user message with TEXT says why.
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
    check "all ranks have addresses in one tree" used 3 "SLURM_TOPOLOGY_ADDR says" with switch.switch.node "$tree" $run
    check "no rank has an address" used 1 "is assumed" with node "- - - - - - - -" $run
    check "addresses without a switch" used 1 "is assumed" with node "n0 n0 n1 n1 n2 n2 n3 n3" $run
    check "some ranks have no address" ignored "SLURM_TOPOLOGY_ADDR is not set on rank 3" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 - s.l1.n2 s.l1.n2 s.l1.n3 -" $run
    check "a malformed address" ignored "rank 5 has 's.l/1.n2'" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 s.l0.n1 s.l1.n2 s.l/1.n2 s.l1.n3 s.l1.n3" $run
    check "a pattern of blocks instead of switches" ignored "rank 0 has" with block.block.node "$tree" $run
    check "a node below two switches" ignored "'n3' is below switch" with switch.switch.node \
        "s.l0.n0 s.l0.n0 s.l0.n1 s.l0.n1 s.l1.n2 s.l1.n2 s.l1.n3 s.l0.n3" $run
    check "addresses in two trees" ignored "'s' and 't' are at the top" with switch.node \
        "s.n0 s.n0 s.n1 s.n1 t.n2 t.n2 t.n3 t.n3" $run
    check "addresses with other nodes than those of the job" ignored "the nodes in SLURM_TOPOLOGY_ADDR are not those of the job" with switch.node \
        "s.n0 s.n0 s.n0 s.n0 s.n2 s.n2 s.n3 s.n3" $run
    check "a topology file has priority over addresses" says "none of its hosts" with switch.switch.node "$tree" \
        --mca coll_irr_topology_file "$scratch/topology.conf" "$scratch/slurm" "$builddir/irr_bench" -c \
        --algorithms tree -i 1 -x 0
    check "with auto a topology file has priority, and is refused with one message" refused "none of its hosts" \
        with switch.switch.node "$tree" --mca coll_irr_topology_file "$scratch/topology.conf" \
        --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_setup_share 1000000000 "$scratch/slurm" \
        "$builddir/irr_bench" -c --unit 32768 -i 300 --algorithms auto
    check "with auto all ranks have addresses in one tree" used 3 "SLURM_TOPOLOGY_ADDR says" with switch.switch.node "$tree" \
        --mca coll_irr_alltoallv_algorithm auto --mca coll_irr_setup_share 1000000000 --mca coll_irr_verbose 10 \
        "$scratch/slurm" "$builddir/irr_bench" -c --unit 32768 -i 150 --algorithms auto
}
exit $failed
