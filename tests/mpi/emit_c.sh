#!/bin/sh
# emit_c.sh - the C file that irr_plan emit-c writes delivers the right bytes, with Open MPI and with MPICH.
#
# The file has a routine that replaces MPI_Alltoall on the hosts of a topology.  All ranks are on this host.  If the
# topology has this host, or with IRR_ANY_HOST, the routine serves all calls, else the MPI library.
LIMIT=240
. "${srcdir:-.}/tests/mpi/lib.sh"
source=$srcdir/tests/mpi
strict="-std=c11 -pedantic -Wall -Wextra -Werror -O2"
MPICH_MPICC=${MPICH_MPICC:-mpicc.mpich}
MPICH_MPIEXEC=${MPICH_MPIEXEC:-mpiexec.mpich}
OMPI_MCA_coll=^irr   # the bytes are compared with those of Open MPI
export OMPI_MCA_coll

# conf NAME LINE...: writes a topology of these lines, and the C file for this topology, with the options in $options.
conf() {
    name=$1
    shift
    printf '%s\n' "$@" > "$scratch/$name.conf"
    # shellcheck disable=SC2086
    "$builddir/irr_plan" emit-c --topology "$scratch/$name.conf" $options -o "$scratch/$name.c"
}

wrapper() {
    if [ "$mpi" = openmpi ]; then
        "$OMPI_MPICC" "$@"
    else
        "$MPICH_MPICC" "$@"
    fi
}

# launch N FILE COMMAND...: starts N ranks of a command, with the library FILE preloaded unless FILE is empty.
launch() {
    n=$1 preload=$2
    shift 2
    if [ "$mpi" = openmpi ]; then
        ranks "$n" ${preload:+-x LD_PRELOAD="$preload"} "$@"
    else
        timeout -k 5 "$LIMIT" "$MPICH_MPIEXEC" -n "$n" ${preload:+-genv LD_PRELOAD "$preload"} "$@"
    fi
}

# objects: compiles the common sources of the test programs with the MPI library $mpi.
objects() {
    share=
    [ "$mpi" = openmpi ] || share=$source/yield.c
    mkdir "$scratch/$mpi.objects"
    for file in "$source"/emit_c.c "$source"/mpi_call.c "$source"/mpi_counts.c "$source"/mpi_device.c \
        "$source"/mpi_edges.c "$source"/mpi_test.c "$source"/mpi_types.c $share; do
        wrapper -std=c11 -D_GNU_SOURCE -O1 -c "$file" -o "$scratch/$mpi.objects/$(basename "$file").o" || return
    done
}

# program OUTPUT OBJECT...: links a test program.
program() {
    output=$1
    shift
    wrapper -rdynamic -o "$output" "$scratch/$mpi.objects"/*.o "$@" -ldl
}

# compiles NAME: the C file compiles without a warning, with and without IRR_ANY_HOST.
compiles() {
    # shellcheck disable=SC2086
    wrapper $strict -fPIC -c "$scratch/$1.c" -o "$scratch/$1.$mpi.o" &&
        wrapper $strict -DIRR_ANY_HOST=1 -c "$scratch/$1.c" -o "$scratch/$1.any.$mpi.o" &&
        wrapper -shared "$scratch/$1.$mpi.o" -o "$scratch/$1.$mpi.so"
}

# linked NAME RANKS [MODE]: runs the program with the routine linked into it, compiled with IRR_ANY_HOST.
linked() {
    program "$scratch/linked" "$scratch/$1.any.$mpi.o" && launch "$2" "" "$scratch/linked" "${3:-linked}"
}

# preloaded NAME RANKS [MODE]: runs the program with the routine preloaded.
preloaded() {
    program "$scratch/plain" && launch "$2" "$scratch/$1.$mpi.so" "$scratch/plain" "${3:-preloaded}"
}

# prints NAME ANY LINE...: 6 ranks print each line once, in any order, with IRR_ALLTOALL_VERBOSE=1, and no line with 0.
# ANY is .any for the routine compiled with IRR_ANY_HOST, else empty.
prints() {
    program "$scratch/verbose" "$scratch/$1$2.$mpi.o" || return 1
    shift 2
    printf 'irr_alltoall: %s\n' "$@" | sort > "$scratch/expected"
    for value in 1 0; do
        (IRR_ALLTOALL_VERBOSE=$value
         export IRR_ALLTOALL_VERBOSE
         launch 6 "" "$scratch/verbose" verbose) > "$scratch/run" 2>&1
        status=$?
        cat "$scratch/run"
        [ $status -eq 0 ] && grep '^irr_alltoall' "$scratch/run" | sort | cmp - "$scratch/expected" || return 1
        : > "$scratch/expected"
    done
}

# each CASE LIBRARY: runs all cases of an MPI library; CASE is check to run or missing to skip them.
each() {
    $1 "$2: the test program compiles" objects
    for file in figure1 four here mixed; do
        $1 "$2: the file of $file compiles without a warning" compiles $file
    done
    $1 "$2: the paper's figure 1, 6 ranks" linked figure1 6
    $1 "$2: the paper's figure 1, 6 ranks, calls from several threads" linked figure1 6 threads
    if whole; then
        $1 "$2: four switches, 24 ranks" linked four 24
    else
        left_out "$2: four switches, 24 ranks"
    fi
    $1 "$2: the routine is preloaded and serves 6 ranks on this host" preloaded here 6
    $1 "$2: on hosts that are not in the topology the library serves" preloaded figure1 6 elsewhere
    $1 "$2: on another number of ranks the library serves" linked figure1 5 elsewhere
    $1 "$2: verbose prints which calls are served, and why other calls are not" prints figure1 .any \
        'a communicator of 6 ranks is served' \
        'a call on 6 ranks is in place: left to the library' \
        'a call on 6 ranks with sendcount 0 has messages of less than 1 byte: left to the library' \
        'a communicator has 2 ranks, the file has 6: left to the library' \
        'a communicator has 4 ranks, the file has 6: left to the library'
    $1 "$2: verbose prints the first rank on a host that differs from the topology" prints mixed "" \
        "rank 2 is on '$host', the file has 'other1': left to the library" \
        'a call on 6 ranks is in place: left to the library' \
        'a call on 6 ranks with sendcount 0 has messages of less than 1 byte: left to the library' \
        'a communicator has 2 ranks, the file has 6: left to the library' \
        'a communicator has 4 ranks, the file has 6: left to the library'
}

# missing NAME COMMAND...: skips a check for the reason $why.
missing() {
    skip "$1" "$why"
}

plan 26
host=$(hostname)
options=
conf figure1 'SwitchName=s0 Nodes=n[0-2]' 'SwitchName=s3 Nodes=n[3-4]' 'SwitchName=s1 Switches=s[0,3] Nodes=n5'
conf four 'SwitchName=s0 Nodes=n[0-5] Switches=s[1-3]' 'SwitchName=s1 Nodes=n[6-11]' \
    'SwitchName=s2 Nodes=n[12-17]' 'SwitchName=s3 Nodes=n[18-23]'
options="--hosts ${host%%.*},$host,$host,$host,$host,$host"
conf here "SwitchName=s0 Nodes=${host%%.*}.some.domain,other"
options="--hosts $host,$host,other1,other2,$host,$host"
conf mixed "SwitchName=s0 Nodes=$host,other[1-2]"

mpi=openmpi
each check "Open MPI"
mpi=mpich
if command -v "$MPICH_MPICC" > /dev/null && command -v "$MPICH_MPIEXEC" > /dev/null; then
    each check MPICH
else
    why="$MPICH_MPICC or $MPICH_MPIEXEC was not found (Debian: mpich and libmpich-dev)"
    each missing MPICH
fi
exit $failed
