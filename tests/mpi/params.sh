#!/bin/sh
# params.sh - ompi_info lists and explains the parameters, and coll/irr refuses bad values of parameters and info keys.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_calls

# refused: a job with the values of $scratch/bad, in lines PARAMETER VALUE ALLOWED, succeeds.  One user message for each
# line names the parameter, its value and the allowed values.
refused() {
    # shellcheck disable=SC2046
    shown env -u OMPI_MCA_coll_irr_alltoallv_algorithm $(sed 's/\([^ ]*\) \([^ ]*\) .*/OMPI_MCA_coll_irr_\1=\2/' "$scratch/bad") \
        timeout -k 5 "$LIMIT" "$MPIRUN" --oversubscribe -np 4 "$program" bad_parameters || return
    while read -r parameter value allowed; do
        [ "$(lines "Parameter: coll_irr_$parameter\$")" -eq 1 ] &&
            grep -A2 "Parameter: coll_irr_$parameter\$" "$scratch/run" | grep -q "Value:     $value\$" &&
            grep -A3 "Parameter: coll_irr_$parameter\$" "$scratch/run" | grep -q "Allowed:   $allowed" ||
            { echo "wrong: $parameter $value"; return 1; }
    done < "$scratch/bad"
}

# values NAME...: prints a pattern of ompi_info's list of these names: 0:"auto", 1:"direct", or in 5.0 0|auto, 1|direct.
values() {
    number=0 list=
    for value; do
        list="$list, $number[:|]\"*$value\"*"
        number=$((number + 1))
    done
    echo "Valid values: ${list#, }"
}

# listed: ompi_info lists the values in $scratch/values, in lines PARAMETER VALUE...
listed() {
    "$OMPI_INFO" --param coll irr --level 9 > "$scratch/info" 2>&1
    while read -r parameter known; do
        # shellcheck disable=SC2086
        grep -A2 "parameter \"coll_irr_$parameter\"" "$scratch/info" | grep -q "$(values $known)" ||
            { echo "wrong: $parameter"; cat "$scratch/info"; return 1; }
    done < "$scratch/values"
}

# coll/irr accepts the older names Ac of natural and coll_irr_pace of coll_irr_pacing, without a user message.
older_names() {
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: natural, because coll_irr_alltoallv_algorithm is natural" \
        ranks 4 --mca coll_irr_verbose 1 --mca coll_irr_alltoallv_algorithm Ac --mca coll_irr_pace loose "$program" many &&
        [ "$(lines "there is no parameter")" -eq 0 ]
}

# divided SETTING: ranks 0 and 1 of four have the setting.  Open MPI must serve all ranks.
divided() {
    on_some_ranks "$1" "$program" leaked_to_host
}

# One user message refuses each bad info key that life.c sets.
bad_infos() {
    shown ranks 4 "$program" bad_info || return 1
    sed -n 's/^    { "\(coll_irr_[a-z_]*\)".*/\1/p' "$srcdir/tests/mpi/life.c" | sort > "$scratch/keys"
    sed -n 's/^ *Parameter: \(coll_irr_[a-z_]*\)$/\1/p' "$scratch/run" | sort | diff "$scratch/keys" - && [ -s "$scratch/keys" ]
}

# balanced-grid has two stages per dimension, so eight dimensions need more than 15 stages.
too_many_stages() {
    says "coll_irr_dims has 8 sizes, which make more than 15 stages" ranks 4 --mca coll_irr_alltoallv_algorithm balanced-grid --mca coll_irr_dims '2^8' \
        "$program" leaked_to_host
}

# misspelt TEXT COMMAND...: the only user message warns of an unknown parameter, which Open MPI ignores.
misspelt() {
    text=$1
    shift
    one_message "rank 0 of MPI_COMM_WORLD: there is no parameter $text" "$@"
}

# The unknown parameter is in a parameter file of Open MPI.
misspelt_in_file() {
    printf '# a comment\ncoll_irr_timeout = 60\n  coll_irr_setup_shar=7\n' > "$scratch/mca-params.conf"
    misspelt "coll_irr_setup_shar, which $scratch/mca-params.conf sets to '7', so it has no effect; did you mean coll_irr_setup_share?" \
        ranks 4 --mca mca_base_param_files "$scratch/mca-params.conf" "$program" many
}

# missing N TEXT PARAMETER=VALUE: with auto, N of four ranks lack the parameter, and the only message has the text.
missing() {
    one_message "rank $1 of MPI_COMM_WORLD: $2" env -u OMPI_MCA_coll_irr_alltoallv_algorithm timeout -k 5 "$LIMIT" \
        "$MPIRUN" --oversubscribe -np 4 "$divide" "$1" "$program" leaked_to_host else env "OMPI_MCA_$3" "$program" \
        leaked_to_host
}

present() {
    echo SwitchName=s Nodes=n > "$scratch/conf"
    given topology_file="$scratch/conf" trace="$scratch/job" alltoallv_algorithm=auto shown ranks 2 "$program" \
        leaked_to_host &&
        [ "$(lines 'coll/irr: ')" -eq 0 ]
}

# divided_far SETTING TEXT: like divided, but without shared memory, and the output has the text.
divided_far() { given shm=0 says "$2" divided "$1"; }

# Help texts have at most 300 characters, and at most 12 parameters have a level for users (1 to 3).
short_helps() {
    "$OMPI_INFO" --param coll irr --level 9 --parsable | awk -F: '
        $6 == "help" {
            sub(/.*:help:/, "")
            if (length($0) > 300) { print length($0) ": " $0; long++ }
            helps++
        }
        $6 == "level" && $7 <= 3 { users++ }
        END { print helps " parameters, " users " for users"; exit helps < 40 || long > 0 || users > 12 }'
}

plan 35
check "ompi_info: help texts of 300 characters at most, 12 parameters for users" short_helps
cat > "$scratch/values" << END
alltoallv_algorithm auto direct natural spread
alltoall_algorithm auto direct natural
neighbor_algorithm auto direct natural
compose auto iovec gather split
overlap pipelined dual single blocking
pacing auto free loose grant
host_route auto direct node
transport auto ${TRANSPORTS%% *}
END
check "ompi_info: allowed values" listed
cat > "$scratch/bad" << 'END'
alltoallv_algorithm fastest one of auto, direct, natural, spread, grid, balanced-grid, hybrid, bruck, node, xor, random
alltoall_algorithm none one of auto, direct, natural, spread, grid
compose 7 one of auto, iovec, gather, split
window_messages -3 a whole number
window_bytes 12q a whole number
dims 1x8 auto, or at most 15 sizes
slice_min -1 a whole number.*0 means any length
direct_bytes some auto, or a whole number.*0 means that no message goes directly
overlap foo one of pipelined, dual, single, blocking
ranks_per_node -1 a whole number.*that Open MPI knows
pacing fast one of auto, free, loose, grant
host_route bridge one of auto, direct, node
lambda proportional incremental, incremental:L, fixed:L, proportional:F
redistribution 1,2,3 none, or four numbers x,p,y,q
END
check "bad values of parameters that are also info keys" refused
cat > "$scratch/bad" << 'END'
window_bytes 99999999999999999999 a whole number
dims 8x auto, or at most 15 sizes
END
check "values out of range" refused
cat > "$scratch/bad" << 'END'
setup_share abc a whole number of percent from 0 on
priority foo a whole number up to 100; a negative one disables
transport pigeon one of auto
eager_bytes 12q auto, or a whole number.*0: UCX or libfabric chooses
END
check "bad values of parameters without an info key" refused
cat > "$scratch/bad" << 'END'
setup_share -5 a whole number of percent from 0 on
dims square auto, or at most 15 sizes
END
check "a negative share, and malformed dims" refused
beside "a user message names host and rank" one_message "host [^ ]*, rank 2 of MPI_COMM_WORLD: the value .* Value: *nonsense" \
    ranks 4 "$divide" 2 "$program" leaked_to_host else env OMPI_MCA_coll_irr_compose=nonsense "$program" leaked_to_host
beside "a misspelt parameter" misspelt "coll_irr_timoeut, .* sets to '5', so it has no effect; did you mean coll_irr_timeout?" \
    ranks 4 --mca coll_irr_timoeut 5 "$program" many
beside "an unknown parameter that resembles no known one" misspelt "coll_irr_colour_of_the_lines, .*; ompi_info --param coll irr" \
    ranks 4 --mca coll_irr_colour_of_the_lines 5 "$program" many
beside "a parameter without the word before algorithm" misspelt "coll_irr_algorithm, .*; use \
coll_irr_alltoallv_algorithm or coll_irr_alltoall_algorithm or coll_irr_neighbor_algorithm" \
    ranks 4 --mca coll_irr_algorithm direct "$program" many
beside "a misspelt parameter in a parameter file" misspelt_in_file
while read -r parameter name outcome; do
    beside "coll_irr_$parameter names a missing file on two of four ranks" \
        missing 2 "coll_irr_$parameter $name: No such file or directory; .*$outcome" "coll_irr_$parameter=$name"
    beside "coll_irr_$parameter names a missing file on all ranks" \
        missing 0 "coll_irr_$parameter $name: No such file or directory; .*$outcome" "coll_irr_$parameter=$name"
done << END
topology_file $scratch/none serve the communicators that need the file
machine_file $scratch/none take the default constants
trace $scratch/none/job Open MPI's own algorithms serve
END
beside "a file that is there, and a folder for traces" present
beside "older names of an algorithm and of a parameter" older_names
beside "a bad value of an info key with an older name" says "Parameter: coll_irr_pacing" \
    ranks 4 "$builddir/mpi_calls" repeats served=no coll_irr_alltoallv_algorithm=direct coll_irr_pace=fast
beside "good info keys" ranks 4 "$program" good_info
beside "bad info keys" bad_infos
beside "a bad value on two of four ranks" divided OMPI_MCA_coll_irr_compose=nonsense
if [ "$TRANSPORT" = ucx ]; then
    beside "two ranks whose transports do not reach the other two" divided_far OMPI_MCA_coll_irr_ucx_tls=tcp,self \
        "cannot reach rank .*; each rank must reach all others with coll_irr_transport '[^ ]*', coll_irr_ucx_tls '[^ ]*' and coll_irr_ucx_devices ''; Open MPI"
else
    beside "two ranks whose transports do not reach the other two" divided_far OMPI_MCA_coll_irr_ofi_provider=sockets \
        "coll_irr_ofi_provider is .* on rank .*, but not on rank"
fi
beside "different dims on two of four ranks" divided OMPI_MCA_coll_irr_dims=2x2
beside "a matrix dump on two of four ranks" divided OMPI_MCA_coll_irr_matrix_dump="$scratch/dump"
# shellcheck disable=SC2086
beside "no usable transport" ranks 4 $nowhere "$program" leaked_to_host
beside "dims with more stages than a tag can number" too_many_stages
beside "a negative priority disables coll/irr" ranks 4 --mca coll_irr_priority -1 "$program" leaked_to_host
beside "with a priority below that of tuned, tuned serves" ranks 4 --mca coll_irr_priority 5 "$program" leaked_to_host
beside "verbose says what serves a communicator" \
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: direct, because coll_irr_alltoallv_algorithm is direct" \
    ranks 4 --mca coll_irr_verbose 1 "$program" many
beside "verbose says why coll/irr does not serve a communicator" \
    says "MPI_COMM_SELF is left to Open MPI: there is nobody to exchange with" \
    ranks 2 --mca coll_irr_verbose 10 "$program" unused
beside "verbose: all ranks are on one node" says "rank 3 of communicator .* is on node 0" \
    ranks 4 --mca coll_irr_verbose 10 "$program" leaked
beside "verbose: two ranks per node by parameter" says "rank 3 of communicator .* is on node 1" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_ranks_per_node 2 "$program" leaked
beside "verbose: two ranks per node by info key" says "rank 3 of .* DUP FROM 0 is on node 1" \
    ranks 4 --mca coll_irr_verbose 10 "$program" good_info
finish
exit $failed
