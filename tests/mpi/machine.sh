#!/bin/sh
# machine.sh - with auto, the ranks use the constants of coll_irr_machine_file if all ranks have equal constants.
# Otherwise all ranks use the defaults, and one user message says why.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_calls

# With an unlimited share, the first agreement sets up strategies.
export OMPI_MCA_coll_irr_setup_share=1000000000 OMPI_MCA_coll_irr_verbose=10

four='message 1300\nlatency 1500\nbandwidth 100000\ncopy 4000\n'
printf "${four}node_message 1000000000 # of a machine that is not there\n" > "$scratch/slow"
cp "$scratch/slow" "$scratch/copy"
printf "$four" > "$scratch/default"
printf "${four}node_message sixty\n" > "$scratch/nonsense"
: > "$scratch/large"
truncate -s 1G "$scratch/large"

# by FILE COMMAND...: runs a command with this machine file on all ranks for which the command names no other file.
by() {
    file=$1
    shift
    given machine_file="$file" "$@"
}

# with FILE [WORD]: runs four ranks, of which ranks 0 and 1 have this machine file.
with() { on_some_ranks OMPI_MCA_coll_irr_machine_file="$1" "$program" change:100 ${2-served=yes}; }

# takes default|measured COMMAND...: the command succeeds, and its communicators use these constants.
takes() {
    constants=$1
    shift
    shown "$@" && [ "$(lines "DUP FROM 0 takes the $constants constants")" -gt 0 ] &&
        [ "$(grep 'DUP FROM 0 takes the' "$scratch/run" | grep -vc "$constants")" -eq 0 ]
}

# quiet COMMAND...: the command succeeds without a user message.
quiet() { "$@" && ! grep -q '^coll/irr: ' "$scratch/run"; }

# warns TEXT COMMAND...: the command succeeds with exactly one user message, which has the text.
warns() {
    text=$1
    shift
    "$@" && [ "$(lines '^coll/irr: ')" -eq 1 ] && flat | grep -q "$text"
}

plan 11
beside "no machine file" quiet takes default ranks 4 "$program" change:100 served=yes
beside "a machine file on all ranks" quiet takes measured by "$scratch/slow" ranks 4 "$program" change:100
beside "equal files of different names" quiet takes measured by "$scratch/copy" with "$scratch/slow" ""
beside "a file of the default constants on some ranks" quiet takes default with "$scratch/default"
beside "a file on two ranks, no file on two ranks" \
    warns "slow' on rank 0 of MPI_COMM_WORLD, and rank 2 has other constants: node_message is from 400 to \
1000000000; it must be the same" takes default with "$scratch/slow"
beside "different constants in the files of ranks" \
    warns "default' on rank 0 of MPI_COMM_WORLD, and rank 2 has other constants: node_message is from 400 to \
1000000000; it must be the same" takes default by "$scratch/slow" with "$scratch/default"
beside "a malformed file on two ranks" warns "is '$scratch/nonsense', and rank 0 of MPI_COMM_WORLD cannot use it: line 5: \
node_message 'sixty' is not an integer from 1 to 1000000000; all" \
    takes default by "$scratch/slow" with "$scratch/nonsense"
beside "a file that is missing on one rank" \
    warns "rank 1 of MPI_COMM_WORLD: coll_irr_machine_file $scratch/none: No such file or directory; all" \
    takes default ranks 2 "$divide" 1 "$program" change:100 served=yes else env \
    OMPI_MCA_coll_irr_machine_file="$scratch/none" "$program" change:100 served=yes
beside "a machine file that is a folder" warns "is '$scratch', and rank 0 .*: Is a directory; all" \
    takes default by "$scratch" ranks 4 "$program" change:100 served=yes
beside "a machine file that is a device" warns "is '/dev/zero', and .* is a device; only a regular file is read" \
    takes default by /dev/zero ranks 2 "$program" change:100 served=yes
beside "a machine file of 1 GiB" warns "large', and .* is 1073741824 bytes long" \
    takes default by "$scratch/large" ranks 2 "$program" change:100 served=yes
finish
exit $failed
