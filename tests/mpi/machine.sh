#!/bin/sh
# machine.sh - ranks that choose take the constants of coll_irr_machine_file if all have the same; else all take the
# defaults, and one text says why.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_coll_irr_alltoallv_algorithm
program=$builddir/mpi_calls

# All may be spent: strategies are opened at the first agreement.
export OMPI_MCA_coll_irr_setup_share=1000000000 OMPI_MCA_coll_irr_verbose=10

four='message 1300\nlatency 1500\nbandwidth 100000\ncopy 4000\n'
printf "${four}node_message 1000000000 # of a machine that is not there\n" > "$scratch/slow"
cp "$scratch/slow" "$scratch/copy"
printf "$four" > "$scratch/default"
printf "${four}node_message sixty\n" > "$scratch/nonsense"
: > "$scratch/large"
truncate -s 1G "$scratch/large"

# by FILE COMMAND...: with that machine file, on all ranks without another one.
by() {
    file=$1
    shift
    given machine_file="$file" "$@"
}

# with FILE [WORD]: on the first two of four ranks.
with() { on_some_ranks OMPI_MCA_coll_irr_machine_file="$1" "$program" change:100 ${2-served=yes}; }

# takes default|measured COMMAND...: a right job, whose communicators take these constants.
takes() {
    constants=$1
    shift
    shown "$@" && [ "$(lines "DUP FROM 0 takes the $constants constants")" -gt 0 ] &&
        [ "$(grep 'DUP FROM 0 takes the' "$scratch/run" | grep -vc "$constants")" -eq 0 ]
}

# quiet COMMAND...: there is no message.
quiet() { "$@" && ! grep -q '^coll/irr: ' "$scratch/run"; }

# warns TEXT COMMAND...: there is one message, which has the text, on several lines.
warns() {
    text=$1
    shift
    "$@" && [ "$(lines '^coll/irr: ')" -eq 1 ] && flat | grep -q "$text"
}

plan 11
beside "no file" quiet takes default ranks 4 "$program" change:100 served=yes
beside "a file" quiet takes measured by "$scratch/slow" ranks 4 "$program" change:100
beside "equal files of different names" quiet takes measured by "$scratch/copy" with "$scratch/slow" ""
beside "a file of the default constants on some ranks" quiet takes default with "$scratch/default"
beside "a file on some ranks" \
    warns "slow' on rank 0 of MPI_COMM_WORLD, and rank 2 has other constants: node_message is from 400 to \
1000000000; it must be the same" takes default with "$scratch/slow"
beside "another file on some ranks" \
    warns "default' on rank 0 of MPI_COMM_WORLD, and rank 2 has other constants: node_message is from 400 to \
1000000000; it must be the same" takes default by "$scratch/slow" with "$scratch/default"
beside "nonsense on some ranks" warns "is '$scratch/nonsense', and rank 0 of MPI_COMM_WORLD cannot use it: line 5: \
node_message 'sixty' is not an integer from 1 to 1000000000; all" \
    takes default by "$scratch/slow" with "$scratch/nonsense"
beside "a file that is missing on one rank" \
    warns "rank 1 of MPI_COMM_WORLD cannot use it: No such file or directory; all" \
    takes default ranks 2 "$divide" 1 "$program" change:100 served=yes else env \
    OMPI_MCA_coll_irr_machine_file="$scratch/none" "$program" change:100 served=yes
beside "a folder on all ranks" warns "is '$scratch', and rank 0 .*: Is a directory; all" \
    takes default by "$scratch" ranks 4 "$program" change:100 served=yes
beside "a device" warns "is '/dev/zero', and .* is a device; only a regular file is read" \
    takes default by /dev/zero ranks 2 "$program" change:100 served=yes
beside "a file of 1 GiB" warns "large', and .* is 1073741824 bytes long" \
    takes default by "$scratch/large" ranks 2 "$program" change:100 served=yes
finish
exit $failed
