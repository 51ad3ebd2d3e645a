# lib.sh - common parts of the shell tests of MPI: TAP lines, and mpirun with the component of this build. A test script
# sources this file, calls `plan N`, then `check NAME COMMAND...` N times.  A job that runs longer than LIMIT seconds is
# ended and fails.  The output of a failed command follows its TAP line as comments.

. "${srcdir:-.}/tests/tap.sh"
. "${builddir:-.}/tests/mpi/env.sh"

LIMIT=${LIMIT:-120}
release=$("$MPIRUN" --version 2> /dev/null | sed -n 's/.*) //p')   # the release of Open MPI, such as 4.1.4
ours=$(cd "${builddir:-.}" && pwd)/.libs
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# all_components: from now on, jobs find all components of Open MPI, like the jobs of users.
all_components() { export OMPI_MCA_mca_base_component_path="$ours:SYS_DEFAULT"; }
all_components
# In scripts that do not call all_components, jobs find only components that tests use: MPI_T loads every component that
# it finds, which costs 20 ms and a sleep of 0.2 s in each process.  mpirun 5.0 needs the folder of all components.
if [ "${release%%.*}" = 4 ] && mkdir "$scratch/components" &&
    ln -s "$OMPI_COMPONENTS"/mca_*.so "$scratch/components" 2> /dev/null; then
    (cd "$scratch/components" && rm -f mca_coll_irr.so mca_mtl_* mca_btl_ofi* mca_io_* mca_fs_* mca_fcoll_* mca_fbtl_* \
        mca_sharedfp_* mca_vprotocol_* mca_*_monitoring*)
    OMPI_MCA_mca_base_component_path=$ours:$scratch/components
fi
# By default mpirun searches for GPUs and PMIx creates a store in shared memory, which takes 8 ms in each process.
export HWLOC_COMPONENTS=-opencl,-gl,-pci PMIX_MCA_gds=hash
# From 5.0 on, PMIx would also search the folders of Open MPI's components, and warn of each file that it does not know.
if [ -d "$PMIX_COMPONENTS" ]; then
    export PMIX_MCA_mca_base_component_path="$PMIX_COMPONENTS"
fi
# MPI_Init opens all components of the framework mtl, although the component ob1 sends the messages.  The component psm2
# loads a library, libpsm2, which then sleeps 0.2 s in each process.
export OMPI_MCA_mtl=^psm2,psm,ofi
# glibc overwrites freed memory, so a job that reads it fails in every run.
export MALLOC_PERTURB_=170
divide=${srcdir:-.}/tests/mpi/divide

# coll/irr serves all calls by direct.  By default it would leave the first calls to Open MPI (see default.sh).
export OMPI_MCA_coll_irr_alltoallv_algorithm=direct

# All algorithms.  redistribution serves an exchange like direct unless the counts are those of coll_irr_redistribution.
# shellcheck disable=SC2034
algorithms="direct natural spread grid balanced-grid hybrid bruck node xor random random-sorted random-heap optimal redistribution tree"

# TRANSPORT: the network library of tests without shared memory.  over_tcp: options for TCP within this node.  nonsense:
# a setting with which no transport opens, whose message is says_nowhere.  nowhere: nonsense without shared memory.
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

# Open MPI's component btl/self, which carries a rank's messages to itself, copies with the processor even between
# buffers in device memory, unless its flags allow it only to send.
if [ -n "${IRR_TEST_DEVICE:-}" ]; then
    export OMPI_MCA_btl_self_flags=1
fi

# beside NAME COMMAND...: check, concurrently with the next cases, because a job mostly waits while it starts and ends.
beside() { apart check "$@"; }

# ranks N [OPTIONS] COMMAND...: runs a command on N ranks, which may be more than cores, for at most LIMIT seconds.
ranks() {
    n=$1
    shift
    timeout -k 5 "$LIMIT" "$MPIRUN" --oversubscribe -np "$n" "$@"
}

# given PARAMETER=VALUE... COMMAND...: runs a command in a subshell with these parameters of coll/irr.
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

# flat: prints $scratch/run as one line, because a user message spans lines.  mpirun 5.0 writes some zero bytes.
flat() { tr '\n\000' '  ' < "$scratch/run"; }

# tagged N COMMAND...: runs N ranks, and stores the output in $scratch/out, with <stdout>: or <stderr>: before each line
# that a rank has printed.
tagged() {
    [ "${release%%.*}" = 4 ] && space= || space=' '
    n=$1
    shift
    ranks "$n" --tag-output "$@" > "$scratch/tagged" 2>&1 < /dev/null
    status=$?
    sed "s/^[^<]*\(<std[a-z]*>:\)$space/\1/" "$scratch/tagged" > "$scratch/out"
    return $status
}

# group NAME WORD...: adds a group, the arguments of one case, for check_groups, which reports the case as NAME.
groups=
group() {
    echo "$1" >> "$scratch/groups"
    shift
    groups="$groups${groups:+ , }$*"
}

# check_groups N [OPTIONS] PROGRAM: runs all groups, one after the other, in one job of a program with mpi_test.h.
# A group fails if the program does not report it as right.  The last group fails if only the end of the job is bad.
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

# all ALGORITHM: prints the info keys that name this algorithm for every collective.
all() { echo "coll_irr_alltoallv_algorithm=$1 coll_irr_alltoall_algorithm=$1 coll_irr_neighbor_algorithm=$1"; }

# silent COMMAND...: the command succeeds and prints only lines of groups that are right.
silent() { shown "$@" && ! grep -qv '^group [0-9]*: right$' "$scratch/run"; }

# whole: true if long cases run, too, as with contrib/check --all.
whole() { [ "${IRR_CHECK_ALL:-}" = 1 ]; }

# left_out NAME: reports a long group of cases that does not run.
left_out() { skip "$1" "contrib/check --all, or IRR_CHECK_ALL=1"; }

# says TEXT COMMAND...: the command succeeds, and its output has the text.
says() {
    text=$1
    shift
    shown "$@" && [ "$(lines "$text")" -gt 0 ]
}

# one_says TEXT COMMAND...: the command succeeds, and exactly one line of its output has the text.
one_says() {
    text=$1
    shift
    shown "$@" && [ "$(lines "$text")" -eq 1 ]
}

# one_message TEXT COMMAND...: the command succeeds, and prints exactly one message of coll/irr, which has the text.
one_message() {
    text=$1
    shift
    shown "$@" && [ "$(lines 'coll/irr: ')" -eq 1 ] && flat | grep -q "$text"
}

# on_some_ranks VARIABLE=VALUE COMMAND...: runs the command on four ranks; ranks 0 and 1 have the environment variable.
on_some_ranks() {
    setting=$1
    shift
    ranks 4 "$divide" 2 env "$setting" "$@" else "$@"
}

# under_valgrind COMMAND...: runs 2 ranks.  Open MPI and PMIx leak, so an error counts only if its stack has a function
# of coll/irr.  Open MPI's requests (host_*) do not count either, because libnbc never frees their schedules.
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
