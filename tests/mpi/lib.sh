# lib.sh - common parts of the shell tests of MPI: TAP lines, and mpirun with the component of this build.
#
# A test script sources this file, calls `plan N`, then `check NAME COMMAND...` N times.  A command that runs longer than
# LIMIT seconds is ended and fails.  The output of a failed command follows as comments.

. "${srcdir:-.}/tests/tap.sh"
. "${builddir:-.}/tests/mpi/env.sh"

LIMIT=${LIMIT:-120}
release=$("$MPIRUN" --version 2> /dev/null | sed -n 's/.*) //p')   # of Open MPI
ours=$(cd "${builddir:-.}" && pwd)/.libs
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# all_components: the next jobs find all components of Open MPI, like the jobs of users.
all_components() { export OMPI_MCA_mca_base_component_path="$ours:SYS_DEFAULT"; }
all_components
# Other jobs do not find components that move no message of a test.  MPI_T loads all components that it finds: 20 ms of
# processor time in each process, and 0.2 s in which libpsm2 sleeps.  mpirun 5.0 would not find its own components.
if [ "${release%%.*}" = 4 ] && mkdir "$scratch/components" &&
    ln -s "$OMPI_COMPONENTS"/mca_*.so "$scratch/components" 2> /dev/null; then
    (cd "$scratch/components" && rm -f mca_mtl_* mca_btl_ofi* mca_io_* mca_fs_* mca_fcoll_* mca_fbtl_* mca_sharedfp_* \
        mca_vprotocol_* mca_*_monitoring*)
    OMPI_MCA_mca_base_component_path=$ours:$scratch/components
fi
# mpirun looks for GPUs and other devices, and PMIx opens a store in shared memory: further 8 ms in each process.
export HWLOC_COMPONENTS=-opencl,-gl,-pci PMIX_MCA_gds=hash
# From 5.0 on mpirun uses that as the path of PMIx too, which reports everything unknown there.
if [ -d "$PMIX_COMPONENTS" ]; then
    export PMIX_MCA_mca_base_component_path="$PMIX_COMPONENTS"
fi
# MPI_Init opens all components of the framework mtl, though ob1 moves the messages.  The library of one, libpsm2,
# sleeps 0.2 s while it is loaded, in each process.
export OMPI_MCA_mtl=^psm2,psm,ofi
# glibc overwrites freed memory, so a job that reads it fails in every run.
export MALLOC_PERTURB_=170
divide=${srcdir:-.}/tests/mpi/divide

# Without configuration coll/irr leaves all to Open MPI, which default.sh tests; the other scripts test what it serves.
export OMPI_MCA_coll_irr_alltoallv_algorithm=direct

# All algorithms.  redistribution needs a redistribution; it serves exchanges with other counts like direct.
# shellcheck disable=SC2034
algorithms="direct natural spread grid balanced-grid hybrid bruck node xor random random-sorted random-heap optimal redistribution tree"

# The network that tests run over where they leave shared memory out: IRR_TEST_TRANSPORT, which then carries all, or the
# one that is chosen on one node.  Over tcp of this node, a network that does not open, and that without shared memory.
# shellcheck disable=SC2034
case ${TRANSPORT:=${IRR_TEST_TRANSPORT:-${TRANSPORTS%% *}}} in
    ofi)
        over_tcp="--mca coll_irr_shm 0 --mca coll_irr_ofi_provider tcp;ofi_rxm"
        nonsense="--mca coll_irr_ofi_provider nonsense"
        says_nowhere="coll_irr_ofi_provider is nonsense"
        ;;
    *)
        over_tcp="--mca coll_irr_shm 0 --mca coll_irr_ucx_tls tcp,self --mca coll_irr_ucx_devices lo"
        nonsense="--mca coll_irr_ucx_tls nonsense"
        says_nowhere="ucx opens no transport with TLS nonsense (coll_irr_ucx_tls)"
        ;;
esac
# shellcheck disable=SC2034
nowhere="--mca coll_irr_shm 0 $nonsense"
if [ -n "${IRR_TEST_TRANSPORT:-}" ]; then
    export OMPI_MCA_coll_irr_transport="$IRR_TEST_TRANSPORT" OMPI_MCA_coll_irr_shm=0
fi

plan() {
    [ "$ASAN" != yes ] || skip_all "Open MPI cannot load a component built with --enable-asan"
    command -v "$MPIRUN" > /dev/null || skip_all "mpirun was not found; install it (Debian: openmpi-bin)"
    if [ -n "${IRR_TEST_DEVICE:-}" ] && [ "${release%%.*}" = 4 ]; then
        skip_all "memory of an accelerator (IRR_TEST_DEVICE) needs Open MPI 5.0"
    fi
    echo "1..$1"
}

# Open MPI's transport of messages to itself copies with the processor, also between buffers in device memory, unless it
# may only send.
if [ -n "${IRR_TEST_DEVICE:-}" ]; then
    export OMPI_MCA_btl_self_flags=1
fi

# beside NAME COMMAND...: check, apart from the rest of the script, because a job mostly waits while it starts and ends.
beside() { apart check "$@"; }

# ranks N [OPTIONS] COMMAND...: runs a program on N ranks, oversubscribed where needed, within the time limit.
ranks() {
    n=$1
    shift
    timeout -k 5 "$LIMIT" "$MPIRUN" --oversubscribe -np "$n" "$@"
}

# given PARAMETER=VALUE... COMMAND...: runs a command, or a function that sets no variable, with parameters of coll/irr.
given() (
    while expr "$1" : '[a-z_]*=' > /dev/null; do
        export "OMPI_MCA_coll_irr_$1"
        shift
    done
    "$@"
)

# shown COMMAND...: stores the output of a command in $scratch/run, and prints it.
shown() {
    "$@" > "$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    return $status
}

# lines TEXT: prints the number of lines of $scratch/run with the text.
lines() { grep -c -e "$1" "$scratch/run"; }

# flat: $scratch/run as one line, because messages are broken into several.  mpirun 5.0 writes zeros into some.
flat() { tr '\n\000' '  ' < "$scratch/run"; }

# tagged N COMMAND...: the same; $scratch/out has the output, <stdout>: or <stderr>: before each line that is a rank's.
tagged() {
    [ "${release%%.*}" = 4 ] && space= || space=' '
    n=$1
    shift
    ranks "$n" --tag-output "$@" > "$scratch/tagged" 2>&1 < /dev/null
    status=$?
    sed "s/^[^<]*\(<std[a-z]*>:\)$space/\1/" "$scratch/tagged" > "$scratch/out"
    return $status
}

# group NAME WORD...: one more group of arguments for check_groups, which is reported under that name.
groups=
group() {
    echo "$1" >> "$scratch/groups"
    shift
    groups="$groups${groups:+ , }$*"
}

# check_groups N [OPTIONS] PROGRAM: runs all groups, one after the other, in one start of a program of mpi_test_groups.
# A group fails if the program does not report it as right; the last one fails if only the end of the job is bad.
check_groups() {
    limit=$LIMIT
    LIMIT=$((LIMIT + 5 * $(wc -l < "$scratch/groups")))
    # shellcheck disable=SC2086
    ranks "$@" $groups > "$scratch/out" 2>&1 < /dev/null
    status=$?
    LIMIT=$limit
    number=0
    while read -r name; do
        number=$((number + 1))
        grep -qF "group $number: right" "$scratch/out"   # Open MPI may have left a line open, with a digit at its end
        right=$?
        [ $right -eq 0 ] || status=0
        [ $number -lt "$(wc -l < "$scratch/groups")" ] || [ $right -ne 0 ] || right=$status
        report $right "$name"
    done < "$scratch/groups"
    rm "$scratch/groups"
    groups=
}

# all ALGORITHM: info keys of all parameters that name one.
all() { echo "coll_irr_alltoallv_algorithm=$1 coll_irr_alltoall_algorithm=$1 coll_irr_neighbor_algorithm=$1"; }

# silent COMMAND...: the job is right, and there is no output, except lines of mpi_test.h.
silent() { shown "$@" && ! grep -qv '^group [0-9]*: right$' "$scratch/run"; }

# whole: true if long cases run, too, as with contrib/check --all.
whole() { [ "${IRR_CHECK_ALL:-}" = 1 ]; }

# left_out NAME: reports a long group of cases that does not run.
left_out() { skip "$1" "contrib/check --all, or IRR_CHECK_ALL=1"; }

# says TEXT COMMAND...: the output has the text.
says() {
    text=$1
    shift
    shown "$@" && [ "$(lines "$text")" -gt 0 ]
}

# one_says TEXT COMMAND...: one line of the run has the text.
one_says() {
    text=$1
    shift
    shown "$@" && [ "$(lines "$text")" -eq 1 ]
}

# one_message TEXT COMMAND...: the run is right, and there is one message of coll/irr, which has the text.
one_message() {
    text=$1
    shift
    shown "$@" && [ "$(lines 'coll/irr: ')" -eq 1 ] && flat | grep -q "$text"
}

# on_some_ranks VARIABLE=VALUE COMMAND...: the first two of four ranks have the variable in their environment.
on_some_ranks() {
    setting=$1
    shift
    ranks 4 "$divide" 2 env "$setting" "$@" else "$@"
}

# under_valgrind COMMAND...: on 2 ranks; Open MPI and PMIx lose memory of their own, so only records that pass
# through coll/irr count, but for those of its inner requests, whose schedules libnbc never frees.
under_valgrind() {
    suppressions=$("$OMPI_INFO" --path pkgdatadir --parsable | sed -n 's/^path:pkgdatadir://p')
    suppressions=$suppressions/openmpi-valgrind.supp
    rm -f "$scratch"/valgrind.*
    ranks 2 valgrind --leak-check=full --show-leak-kinds=definite,indirect --num-callers=40 --keep-debuginfo=yes \
        --suppressions="$suppressions" --log-file="$scratch/valgrind.%p" "$@" || return 1
    [ "$(cat "$scratch"/valgrind.* | grep -c 'LEAK SUMMARY')" -eq 2 ] || return 1
    awk '/^==[0-9]+== *$/ { if (record ~ /irr_/ && record !~ /libnbc|host_[a-z]+ \(coll_irr_entries/) { print record; bad = 1 } record = "" }
         { record = record $0 "\n" } END { exit bad }' "$scratch"/valgrind.*
}

# expect_failure COMMAND...: the command must fail, but not by the time limit.
expect_failure() {
    "$@"
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && [ $status -ne 137 ]
}
