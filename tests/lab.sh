#!/bin/sh
# lab.sh - contrib/lab: a cluster comes up, MPI runs on it as on separate machines, and `lab down` leaves nothing.
#
# The clusters of this test have their own state folder, so that a cluster of the user may be up at the same time.
. "${srcdir:-.}/tests/mpi/lib.sh"
all_components

builddir=$(cd "${builddir:-.}" && pwd)
IRR_LAB_STATE=$scratch/state
export IRR_LAB_STATE
LIMIT=60

lab() { timeout -k 5 "$LIMIT" "${srcdir:-.}/contrib/lab/lab" --build "$builddir" "$@"; }
end() {
    lab down > "$scratch/down" 2>&1
    rm -rf "$scratch"
}

command -v python3 > /dev/null || skip_all "python3 was not found"
[ "$(id -u)" -eq 0 ] || skip_all "contrib/lab needs root"
unshare --net --uts --ipc --mount --pid --fork true 2> /dev/null || skip_all "namespaces are not permitted"
trap end EXIT
lab up single:3 > "$scratch/up" 2>&1
status=$?
[ $status -ne 3 ] || skip_all "$(sed -n 's/^lab: //p' "$scratch/up" | head -n 1)"

bench() { shown lab run 3 -- "$builddir/irr_bench" -c --algorithms host,direct -i 5 -x 1 "$@"; }
is_up() { cat "$scratch/up" && grep -qx "topology: $IRR_LAB_STATE/topology.conf" "$scratch/up"; }
every_byte() {
    bench --unit 262144 && grep -q '^  host .* yes$' "$scratch/run" && grep -q '^  direct .* yes$' "$scratch/run" &&
        grep -q '^lab: [0-9]* retransmission timeouts, [0-9]* retransmitted segments$' "$scratch/run"
}
# Two messages of 256 KiB leave each host: 41.9 ms at 100 Mbit/s, less the time of a burst.
rate_holds() {
    awk '$1 == "host" || $1 == "direct" { rows++; if ($3 < 40) bad = 1 } END { exit rows != 2 || bad }' "$scratch/run"
}
# Two hosts have two ranks, the third has one.  The lengths use the eager protocol, pieces, and the rendezvous protocol
# within a host.  A trial takes 64 to 768 short exchanges on a busy machine.
host_route() {
    for route in direct node auto; do
        for unit in 10 3000; do
            warmup=$((unit == 10 ? 3000 : 400))
            lab run 5 --mca coll_irr_topology_file "$IRR_LAB_STATE/topology.conf" \
                --mca coll_irr_setup_share 1000000000 --mca coll_irr_host_route $route --mca coll_irr_verbose 1 -- \
                "$builddir/irr_bench" -c --pattern random --unit $unit --algorithms tree -i 2 -x $warmup \
                > "$scratch/run" 2>&1
            first=$(grep 'because coll_irr_alltoallv_algorithm is tree' "$scratch/run")
            case $route$first in
                direct*'host route'*) first= ;;
                node*'host route node, pacing sync'* | auto*'pacing sync'* | direct*'pacing sync'*) ;;
                *) first= ;;
            esac
            [ -n "$first" ] && grep '^  tree .* yes$' "$scratch/run" && grep '; tried other strategies [1-9]' "$scratch/run" ||
                { cat "$scratch/run"; return 1; }
        done
    done
}
# choose TOPOLOGY: runs a job of auto with trials and a topology file.
choose() {
    shown lab run 3 --mca coll_irr_topology_file "$1" --mca coll_irr_setup_share 1000000000 --mca coll_irr_verbose 1 \
        -- "$builddir/irr_bench" -c --unit 65536 --algorithms auto -i 60 -x 0
}
# auto tries tree on the switches of a file.  If the file lacks a host, one warning says so.
auto() {
    choose "$IRR_LAB_STATE/topology.conf" && grep '^  auto[^ ]* .* yes$' "$scratch/run" &&
        grep 'MPI_Alltoallv, 3 ranks on 3 nodes, about 66 kB to each: .*; tried other strategies [1-9]' "$scratch/run" &&
        echo 'SwitchName=s Nodes=n[1-2]' > "$scratch/lacks" && choose "$scratch/lacks" &&
        grep '^  auto(host) .* yes$' "$scratch/run" &&
        grep "because .*rank 2: .*'n3' is none of its hosts" "$scratch/run" &&
        [ "$(grep -c 'coll/irr: .*is none of its hosts' "$scratch/run")" -eq 1 ]
}
# A job of two exchanges opens no transport, also with a topology file.
auto_waits() {
    shown lab run 3 --mca coll_irr_topology_file "$IRR_LAB_STATE/topology.conf" --mca coll_irr_verbose 1 -- \
        "$builddir/irr_bench" -c --algorithms auto -i 2 -x 0 &&
        grep '^  auto(host) .* yes$' "$scratch/run" && ! grep 'messages go over' "$scratch/run"
}
names() {
    lab run 5 -- sh -c 'echo "$OMPI_COMM_WORLD_RANK $(uname -n)"' | sort > "$scratch/names"
    printf '%s\n' '0 n1' '1 n1' '2 n2' '3 n2' '4 n3' | diff - "$scratch/names"
}
# Open MPI finds shared memory only within a host.
no_shared_memory() {
    expect_failure lab run 2 --mca btl self,vader -- "$builddir/irr_bench" -c -i 1 > "$scratch/run" 2>&1
    grep 'unable to reach each other' "$scratch/run"
}
no_shared_memory_ucx() {
    lab run 3 --mca coll_irr_transport ucx --mca coll_irr_ucx_tls sm,self -- \
        "$builddir/irr_bench" -c --unit 64 --algorithms direct -i 1 -x 1 |
        grep '^  direct(host) .* yes$'
}
# takes_ofi OPTIONS...: libfabric carries the messages, and coll_irr_verbose prints the reason.
takes_ofi() {
    lab run 3 "$@" --mca coll_irr_verbose 1 -- "$builddir/irr_bench" -c --unit 64 --algorithms direct -i 1 -x 1 \
        > "$scratch/run" 2>&1
    cat "$scratch/run"
    grep '^  direct .* yes$' "$scratch/run" &&
        grep 'messages go over ofi, because the settings of UCX exclude all networks' "$scratch/run"
}
# Parameters or the environment exclude the network from UCX.
auto_takes_ofi() {
    takes_ofi --mca coll_irr_ucx_tls sm,self && takes_ofi --mca coll_irr_ucx_devices lo &&
        takes_ofi --mca coll_irr_ucx_devices '' -x UCX_NET_DEVICES=lo
}
links() {
    lab status > "$scratch/status" || return
    cat "$scratch/status"
    [ "$(awk '$2 == "->" && $4 == "100mbit" && $5 > 524288' "$scratch/status" | wc -l)" -eq 6 ]
}
second_is_refused() { expect_failure lab up single:2 2>&1 | grep 'a lab is up'; }
refused() {
    what=$1
    shift
    expect_failure lab "$@" > "$scratch/refused" 2>&1
    cat "$scratch/refused"
    grep -q -e "$what" "$scratch/refused"
}
# The checks of a SPEC do not depend on the lab that is up.
refuses() {
    printf 'SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=n1\n' > "$scratch/loop"
    printf 'SwitchName=a Nodes=n[1-3\n' > "$scratch/range"
    printf 'SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n3\n' > "$scratch/twice"
    printf 'SwitchName=a Switches=c Nodes=n1\n' > "$scratch/unknown"
    refused 'not connected' up "$scratch/loop" && refused 'brackets' up "$scratch/range" &&
        refused 'is already on switch' up "$scratch/twice" && refused 'no line of its own' up "$scratch/unknown" &&
        refused 'SPEC is' up ring:3 && refused 'SPEC is' up star:3,x && refused '--rate is' up single:2 --rate 3 &&
        refused 'PROGRAM is missing' run 2 && refused "NP is '193', allowed is 1 to 192" run 193 -- true
}
# A bench checks all options first.  With correct options it fails because another cluster is up.
bench_refuses() {
    refused "unknown pattern 'x', known are uniform" bench single:2 --patterns uniform,x &&
        refused "unknown algorithm 'x', known are .*tree, linear, pairwise" \
            bench single:2 --algorithms linear,x &&
        refused "unknown transport 'tcp', known are ucx, ofi" bench single:2 --algorithms tree@ofi,direct@tcp &&
        refused "algorithm 'host'" bench single:2 --algorithms host &&
        refused "warmup '-1' is not an integer from 0" bench single:2 --warmup -1 &&
        refused "iterations '0' is not an integer from 1" bench single:2 --iterations 0 &&
        refused "np is '129', allowed is 2 to 128" bench single:2 --np 129 &&
        refused "np is 'x', allowed is 2 to 128" bench single:2 --np x && refused 'no byte leaves' bench single:1 &&
        refused "'0' is not a number from 1" bench single:2 --sizes 1k,0 && refused "SPEC is 'ring:2'" bench ring:2 &&
        refused "nothing can be written to $scratch/none" bench single:2 -o "$scratch/none/bench" &&
        refused 'a lab is up' bench single:2
}

# nothing_left: true if no namespace, process or mount of the lab is left.  Its interfaces and bridges exist only within
# its namespaces.
nothing_left() {
    [ ! -e "$IRR_LAB_STATE" ] || return
    ! grep "$scratch" /proc/mounts || return
    for process in /proc/[0-9]*; do
        ! tr '\0' ' ' < "$process/cmdline" 2> /dev/null | grep "keep $IRR_LAB_STATE" || return
        [ "$(readlink "$process/ns/net")" != "$network" ] || return
    done
}
network=$(readlink "/proc/$(cat "$IRR_LAB_STATE/pids/n1")/ns/net")
is_down() { lab down && nothing_left; }
down_again() { lab down | grep -x 'no lab was up'; }

# Kills `lab up` when the first host is up.
after_a_crash() {
    "${srcdir:-.}/contrib/lab/lab" up chain:12,12 &
    crashing=$!
    while [ ! -s "$IRR_LAB_STATE/pids/n1" ] && kill -0 $crashing; do :; done
    kill -9 $crashing
    wait $crashing
    network=$(readlink "/proc/$(cat "$IRR_LAB_STATE/pids/n1")/ns/net")
    lab down && nothing_left
}
# One `lab up` succeeds; the other fails and does not remove the cluster.
two_at_once() {
    lab up single:2 > "$scratch/up" 2>&1 &
    lab up single:2
    second=$?
    wait $!
    first=$?
    cat "$scratch/up"
    [ $((first + second)) -eq 2 ] && lab status && lab down && nothing_left
}
folders() {
    mkdir "$scratch/empty" "$scratch/strange" && touch "$scratch/strange/file" &&
        lab --state "$scratch/empty" up single:1 && lab --state "$scratch/empty" down && [ ! -e "$scratch/empty" ] &&
        refused 'is no folder of a lab' --state "$scratch/strange" up single:1 && [ -e "$scratch/strange/file" ]
}
# A terminal that is closed may send several signals.  Under nohup the signal is ignored, hence --default-signal.
hangup() {
    env --default-signal=HUP "${srcdir:-.}/contrib/lab/lab" --build "$builddir" bench single:2 --sizes 64k \
        --algorithms linear --rounds 100 -o "$scratch/bench" > "$scratch/run" 2>&1 &
    hanging=$!
    while ! grep -q 'busiest link' "$scratch/run" && kill -0 $hanging; do :; done
    network=$(readlink "/proc/$(cat "$IRR_LAB_STATE/pids/n1")/ns/net")
    kill -HUP $hanging && kill -HUP $hanging
    wait $hanging
    status=$?
    cat "$scratch/run"
    [ $status -eq 129 ] && nothing_left
}
# A file with a range and a continued line; the ports of four switches carry the messages of irr_bench.
topology_file() {
    printf '# four\nswitchname=top Switches=leaf[1-3] \\\n  LinkSpeed=100 # more\n' > "$scratch/conf"
    printf 'SwitchName=leaf%d Nodes=node-0%d\n' 1 1 2 2 3 3 >> "$scratch/conf"
    lab up "$scratch/conf" --rate 1gbit && cmp "$scratch/conf" "$IRR_LAB_STATE/topology.conf" && bench --unit 1024 &&
        lab status | grep '^top -> leaf3 .* 1gbit'
}
# The speeds of the file multiply the rate of the slowest host, and the bound of an exchange follows from them.
speeds() {
    echo 'SwitchName=s0 Nodes=n[1-2] Switches=s1 NodeSpeed=10' > "$scratch/conf"
    echo 'SwitchName=s1 Nodes=n[3-4] NodeSpeed=20 LinkSpeed=12' >> "$scratch/conf"
    lab down && lab up "$scratch/conf" --rate 50mbit && lab status > "$scratch/status" && cat "$scratch/status" &&
        grep '^n1 -> s0 .* 50mbit' "$scratch/status" && grep '^s1 -> n3 .* 100mbit' "$scratch/status" &&
        grep '^s0 -> s1 .* 60mbit' "$scratch/status" && lab down &&
        lab bench "$scratch/conf" --sizes 64k --algorithms direct --rounds 1 --iterations 2 -o "$scratch/bench" \
            > "$scratch/run" && cat "$scratch/run" &&
        grep 'busiest link s[01] -> s[01]: 262144 bytes, at least 18.3 ms' "$scratch/run" &&
        printf 'SwitchName=s0 Nodes=n1,n2 LinkSpeed=x\n' > "$scratch/bad" &&
        refused "LinkSpeed 'x' is not" up "$scratch/bad" && lab up "$scratch/conf"
}
# Four messages go from one switch to the other, three leave each host.
bench_writes() {
    lab down && lab bench chain:2,2 --rate 1gbit --sizes 1k,4k --algorithms pairwise,direct --rounds 2 --iterations 2 \
        -o "$scratch/bench" > "$scratch/run" && grep 'busiest link s1 -> s2: 4096 bytes' "$scratch/run" &&
        [ "$(wc -l < "$scratch/bench.csv")" -eq 5 ] &&
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/bench.svg" &&
        nothing_left
}
# A job fails, because coll/irr does not serve it.  The bench prints the output of the job, and keeps the rows of the
# jobs before it.
bench_keeps() {
    mkdir "$scratch/build" && ln -s "$builddir/irr_matrix" "$scratch/build" && cat > "$scratch/build/irr_bench" << END
#!/bin/sh
case \$* in
    *--help*) exit ;;
    *direct*) OMPI_MCA_coll=^irr && export OMPI_MCA_coll && echo "left out" ;;
esac
exec "$builddir/irr_bench" "\$@"
END
    chmod +x "$scratch/build/irr_bench" && rm -f "$scratch/bench.svg" &&
        refused "'direct' was not measured, because .* served the exchanges: " --build "$scratch/build" bench single:2 \
            --sizes 1k --algorithms linear,direct --rounds 1 --iterations 2 --warmup 1 -o "$scratch/bench" &&
        grep 'left out' "$scratch/refused" && [ "$(wc -l < "$scratch/bench.csv")" -eq 2 ] &&
        grep 'uniform,1024,2,linear' "$scratch/bench.csv" && grep '</svg>' "$scratch/bench.svg" && nothing_left
}

plan 24
check "a cluster of three hosts comes up" is_up
check "every byte arrives, with and without coll/irr, and timeouts are counted" every_byte
check "no port is faster than its rate" rate_holds
check "tree serves hosts with several ranks, by each route" host_route
check "auto tries strategies on the switches of a file" auto
check "a job of two exchanges opens no transport" auto_waits
check "ranks fill the hosts in their order, each under its own name" names
check "Open MPI finds no shared memory between hosts" no_shared_memory
check "UCX finds no shared memory between hosts" no_shared_memory_ucx
case $TRANSPORTS in
    "ucx ofi") check "auto uses libfabric if UCX may not use the network" auto_takes_ofi ;;
    *) skip "auto uses libfabric if UCX may not use the network" "one transport was built: $TRANSPORTS" ;;
esac
check "lab status shows the bytes on each link" links
check "a second cluster in the same state folder is refused" second_is_refused
check "malformed clusters and options are refused" refuses
check "bench refuses bad options before its first job" bench_refuses
check "lab down leaves nothing" is_down
check "lab down twice is no error" down_again
check "lab down removes the remains of a crash" after_a_crash
check "of two lab up at the same time one succeeds" two_at_once
check "lab up accepts an empty folder, and refuses another one" folders
check "closing the terminal ends a bench and removes its cluster" hangup
check "a topology.conf is built unchanged" topology_file
check "ports have the speeds of a topology.conf" speeds
check "lab bench writes its files and leaves nothing" bench_writes
check "lab bench keeps the rows measured before a job failed" bench_keeps
exit $failed
