#!/bin/sh
# transports.sh - parameters choose the transport.  If ranks differ or a transport cannot serve, one message says so.
LIMIT=40
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

# Each case sets its own transport.  Only the first two cases use shared memory.
unset OMPI_MCA_coll_irr_transport OMPI_MCA_coll_irr_shm

# unlike TEXT SETTING: two of four ranks have the setting, Open MPI serves all ranks, and one line has the text.
unlike() {
    one_says "$1" on_some_ranks "$2" "$program" leaked_to_host
}

# lacking CASE TEXT [OPTION...]: a case that needs libfabric: Open MPI serves, and one user message has the text.
lacking() {
    name=$1 text=$2
    shift 2
    built ofi "$name" one_message "$text.*; Open MPI's own algorithm serves" ranks 4 "$@" "$program" leaked_to_host
}

no_library() {
    one_message "transport ofi needs libfabric .*cannot be loaded" false_libraries --mca coll_irr_transport ofi \
        "$program" leaked_to_host
}

# The user message names the transports of this build, and no rank hangs.
no_such() {
    ranks 4 --mca coll_irr_transport pigeon "$program" leaked_to_host > "$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    [ $status -eq 0 ] && [ "$(grep -c 'Parameter: coll_irr_transport' "$scratch/run")" -eq 1 ] &&
        grep -q 'Value: *pigeon' "$scratch/run" &&
        grep -q "Allowed: *one of auto, $(echo "$TRANSPORTS" | sed 's/ /, /')" "$scratch/run"
}

# empty LIBRARY...: makes empty files, which ranks with LD_LIBRARY_PATH=$scratch/lib find instead of these libraries.
empty() {
    mkdir -p "$scratch/lib"
    for library; do
        echo > "$scratch/lib/$library"
    done
}

# over_ob1 ARGUMENT...: runs 4 ranks on which Open MPI itself needs neither UCX nor libfabric.
over_ob1() {
    ranks 4 --mca pml ob1 --mca osc ^ucx --mca btl self,vader,tcp --mca mca_base_component_show_load_errors 0 "$@"
}

# false_libraries ARGUMENT...: runs 4 ranks that find neither libfabric nor UCX.
false_libraries() {
    empty libfabric.so.1 libucp.so.0
    over_ob1 -x LD_LIBRARY_PATH="$scratch/lib" "$@"
}

# false_ucx ARGUMENT...: runs 4 ranks that find no UCX.
false_ucx() {
    empty libucp.so.0
    over_ob1 -x LD_LIBRARY_PATH="$scratch/lib" "$@"
}

# Two of four ranks find no UCX.
half_false_ucx() {
    empty libucp.so.0
    over_ob1 "$divide" 2 env LD_LIBRARY_PATH="$scratch/lib" "$program" leaked_to_host else "$program" leaked_to_host
}

# built TRANSPORT NAME COMMAND...: beside NAME COMMAND..., skipped if this build lacks the transport.
built() {
    transport=$1
    shift
    case " $TRANSPORTS " in
        *" $transport "*) beside "$@" ;;
        *) skip "$1" "$transport was not built" ;;
    esac
}

# Open MPI 5.0 of Debian 13 is linked with libfabric.
needs_libfabric() { ldd "$program" | grep -q libfabric; }

plan 20
beside "an unknown transport" no_such
if needs_libfabric; then
    skip "ranks of a node need no network library" "Open MPI needs libfabric itself"
else
    beside "ranks of a node need no network library" one_says "messages stay in shared memory" \
        false_libraries --mca coll_irr_verbose 1 "$program" many
fi
export OMPI_MCA_coll_irr_shm=0
beside "verbose names the chosen transport and the cause" one_says "messages go over ${TRANSPORTS%% *}, because [a-zA-Z]" \
    ranks 4 --mca coll_irr_verbose 1 "$program" many
beside "another provider on two of four ranks" \
    unlike "coll_irr_ofi_provider is 'shm' on rank 0 of MPI_COMM_WORLD, but not on rank 2" \
    OMPI_MCA_coll_irr_ofi_provider=shm
beside "another domain on two of four ranks" \
    unlike "coll_irr_ofi_domain is 'lo' on rank 0 of MPI_COMM_WORLD, but not on rank 2" OMPI_MCA_coll_irr_ofi_domain=lo
for transport in ucx ofi; do
    built $transport "$transport by name" one_says "messages go over $transport, because it is named" \
        ranks 4 --mca coll_irr_transport $transport --mca coll_irr_verbose 1 "$program" many
    built $transport "$transport on two of four ranks" \
        unlike "coll_irr_transport is 'auto' on rank 2 of MPI_COMM_WORLD and '$transport' on rank 0" \
        OMPI_MCA_coll_irr_transport=$transport
done
lacking "an unknown provider" \
    "coll_irr_ofi_provider is pigeon, .*has providers .*tcp;ofi_rxm" \
    --mca coll_irr_ofi_provider pigeon
lacking "an unknown domain" "coll_irr_ofi_domain is pigeon; .*with domains .*lo" --mca coll_irr_ofi_domain pigeon
lacking "a provider without a device" "coll_irr_ofi_provider is psm2, .*has providers" \
    --mca coll_irr_ofi_provider psm2
lacking "a provider without a feature that coll/irr needs" "provider udp;ofi_rxd of libfabric .*(coll_irr_ofi_provider) reports" \
    --mca coll_irr_ofi_provider "udp;ofi_rxd"
if needs_libfabric; then
    skip "no libfabric at run time" "Open MPI needs libfabric itself"
else
    built ofi "no libfabric at run time" no_library
fi
built ofi "a job on one node has no listening socket that other hosts reach" \
    ranks 4 --mca coll_irr_transport ofi "$program" local_listeners
built ofi "a domain that other hosts do not reach" ranks 2 --mca coll_irr_ofi_provider "tcp;ofi_rxm" \
    --mca coll_irr_ofi_domain lo "$program" local_listeners
built ofi "coll_irr_ofi_provider implies transport ofi" one_says "messages go over ofi, because a provider or domain" \
    ranks 4 --mca coll_irr_ofi_provider "tcp;ofi_rxm" --mca coll_irr_verbose 1 "$program" many
case " $TRANSPORTS " in
    *" ucx ofi "*)
        beside "without UCX at run time, messages go over libfabric" \
            one_says "messages go over ofi, because UCX cannot be loaded: .*libucp" \
            false_ucx --mca coll_irr_verbose 1 "$program" many
        beside "two of four ranks without UCX at run time" one_message \
            "has opened transport .* UCX can be loaded on some ranks only.*; Open MPI's own algorithm serves" \
            half_false_ucx
        ;;
    *)
        skip "without UCX at run time, messages go over libfabric" "UCX and libfabric were not both built"
        skip "two of four ranks without UCX at run time" "UCX and libfabric were not both built"
        ;;
esac
built ofi "MPI_Finalize does not wait for unexpected messages" \
    ranks 4 --mca coll_irr_transport ofi "$builddir/mpi_faults" left_alone
finish
exit $failed
