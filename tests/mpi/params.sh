#!/bin/sh
# params.sh - parameters and info keys: they are listed and explained, and bad values are refused.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
program=$builddir/mpi_life

# bad PARAMETER=VALUE...: a run with all of these, which is right.
bad() {
    # shellcheck disable=SC2046
    env -u OMPI_MCA_coll_irr_alltoallv_algorithm $(printf 'OMPI_MCA_coll_irr_%s ' "$@") \
        timeout -k 5 "$LIMIT" "$MPIRUN" --oversubscribe -np 4 "$program" bad_parameters > "$scratch/run" 2>&1
    status=$?
}

# refused PARAMETER VALUE ALLOWED: one message of that run names the parameter, the value, and allowed values.
refused() {
    cat "$scratch/run"
    [ $status -eq 0 ] && [ "$(grep -A2 "Parameter: $1\$" "$scratch/run" | grep -c "Value:     $2\$")" -eq 1 ] &&
        [ "$(lines "Parameter: $1\$")" -eq 1 ] &&
        grep -A3 "Parameter: $1\$" "$scratch/run" | grep -q "Allowed:   $3"
}

# listed NAME LEVEL TEXT: ompi_info shows the parameter at that level with that text.
"$OMPI_INFO" --param coll irr --level 9 > "$scratch/info" 2>&1
listed() {
    cat "$scratch/info"
    grep -A2 "parameter \"coll_irr_$1\"" "$scratch/info" | grep -q "level: $2 " &&
        grep -A2 "parameter \"coll_irr_$1\"" "$scratch/info" | grep -q "$3"
}

# values NAME...: how ompi_info begins the list of them: 0:"auto", 1:"direct", and from 5.0 on 0|auto, 1|direct.
values() {
    number=0 list=
    for value; do
        list="$list, $number[:|]\"*$value\"*"
        number=$((number + 1))
    done
    echo "Valid values: ${list#, }"
}

# The older names of an algorithm and of a parameter are accepted, without a message.
older_names() {
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: natural, because coll_irr_alltoallv_algorithm is natural" \
        ranks 4 --mca coll_irr_verbose 1 --mca coll_irr_alltoallv_algorithm Ac --mca coll_irr_pace loose "$program" many &&
        [ "$(lines "there is no parameter")" -eq 0 ]
}

# The first ranks have one setting, the others another: all must leave it to Open MPI.
divided() {
    on_some_ranks "$1" "$program" leaked_to_host
}

# There is one message for each bad info key.
bad_infos() {
    shown ranks 4 "$program" bad_info || return 1
    for name in alltoallv_algorithm alltoall_algorithm neighbor_algorithm compose window_messages window_bytes dims \
        slice_min direct_bytes overlap ranks_per_node pacing grants piece_bytes lead_bytes host_route seed lambda latency_bytes \
        max_steps xor_shift redistribution matrix_max_bytes schedule_ms cache_bytes timeout; do
        [ "$(lines "Parameter: coll_irr_$name\$")" -eq 1 ] || return 1
    done
}

# A balanced algorithm has two stages a dimension.  (lib.sh's wrappers refuse what is bad for all algorithms.)
too_many_stages() {
    says "coll_irr_dims has 8 sizes, which make more than 15 stages" ranks 4 --mca coll_irr_alltoallv_algorithm balanced-grid --mca coll_irr_dims '2^8' \
        "$program" leaked_to_host
}

# Open MPI ignores unknown names.  misspelt TEXT COMMAND...: the only message of the job says so.
misspelt() {
    text=$1
    shift
    one_message "rank 0 of MPI_COMM_WORLD: there is no parameter $text" "$@"
}

# The same in a parameter file that Open MPI reads.
misspelt_in_file() {
    printf '# a comment\ncoll_irr_timeout = 60\n  coll_irr_setup_shar=7\n' > "$scratch/mca-params.conf"
    misspelt "coll_irr_setup_shar, which $scratch/mca-params.conf sets to '7', so it has no effect; did you mean coll_irr_setup_share?" \
        ranks 4 --mca mca_base_param_files "$scratch/mca-params.conf" "$program" many
}

# divided_far SETTING TEXT: the same where the network carries all, with the cause.
divided_far() { given shm=0 says "$2" divided "$1"; }

# Help texts are short, and few parameters are for users.
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

plan 86
check "ompi_info: help texts of 300 characters at most, 12 parameters for users" short_helps
check "ompi_info: priority" listed priority 3 "Priority of the irr coll component"
check "ompi_info: verbose" listed verbose 3 "Verbosity"
check "ompi_info: report" listed report 3 "Report of all-to-all collectives"
check "ompi_info: algorithm" listed alltoallv_algorithm 3 "$(values auto direct natural spread)"
check "ompi_info: algorithm of MPI_Alltoall" listed alltoall_algorithm 3 "$(values auto direct natural)"
check "ompi_info: algorithm of neighbours" listed neighbor_algorithm 3 "$(values auto direct natural)"
check "ompi_info: window_messages" listed window_messages 6 "Largest number of messages"
check "ompi_info: window_bytes" listed window_bytes 6 "Largest number of bytes"
check "ompi_info: compose" listed compose 6 "$(values auto iovec gather split)"
check "ompi_info: dims" listed dims 6 'current value: "auto"'
check "ompi_info: slice_min" listed slice_min 9 'current value: "256"'
check "ompi_info: direct_bytes" listed direct_bytes 9 'current value: "auto"'
check "ompi_info: overlap" listed overlap 6 'current value: "pipelined"'
check "ompi_info: overlaps" listed overlap 6 "$(values pipelined dual single blocking)"
check "ompi_info: ranks_per_node" listed ranks_per_node 9 'current value: "0"'
check "ompi_info: pacing" listed pacing 6 "$(values auto free loose grant)"
check "ompi_info: grants" listed grants 9 'current value: "0"'
check "ompi_info: piece_bytes" listed piece_bytes 9 'current value: "auto"'
check "ompi_info: lead_bytes" listed lead_bytes 9 'current value: "auto"'
check "ompi_info: host_route" listed host_route 6 "$(values auto direct node)"
check "ompi_info: eager_bytes" listed eager_bytes 6 'current value: "auto"'
check "ompi_info: seed" listed seed 9 'current value: "1"'
check "ompi_info: lambda" listed lambda 9 'current value: "incremental"'
check "ompi_info: latency_bytes" listed latency_bytes 9 'current value: "16384"'
check "ompi_info: max_steps" listed max_steps 9 'current value: "0"'
check "ompi_info: max_steps names who takes it" listed max_steps 9 'Algorithms optimal and tree.*at least as many steps as'
check "ompi_info: xor_shift" listed xor_shift 9 'current value: "0"'
check "ompi_info: redistribution" listed redistribution 6 'current value: "none"'
check "ompi_info: matrix_max_bytes" listed matrix_max_bytes 9 'current value: "64m"'
check "ompi_info: cache_bytes" listed cache_bytes 9 'current value: "16m"'
check "ompi_info: timeout" listed timeout 3 'current value: "0"'
check "ompi_info: schedule_file" listed schedule_file 6 'current value: ""'
check "ompi_info: topology_file" listed topology_file 3 'current value: ""'
check "ompi_info: matrix_dump" listed matrix_dump 6 'current value: ""'
check "ompi_info: ucx_tls" listed ucx_tls 6 "UCX_TLS"
check "ompi_info: ucx_devices" listed ucx_devices 6 "UCX_NET_DEVICES"
check "ompi_info: transport" listed transport 3 "$(values auto "${TRANSPORTS%% *}")"
check "ompi_info: ofi_provider" listed ofi_provider 6 "fi_info -p"
check "ompi_info: ofi_domain" listed ofi_domain 6 "btl_tcp_if_include"
bad alltoallv_algorithm=fastest alltoall_algorithm=none compose=7 window_messages=-3 window_bytes=12q dims=1x8 \
    slice_min=-1 direct_bytes=some overlap=foo ranks_per_node=-1 pacing=fast host_route=bridge lambda=proportional redistribution=1,2,3
check "bad algorithm" refused coll_irr_alltoallv_algorithm fastest "one of auto, direct, natural, spread, grid, balanced-grid, hybrid, bruck, node, xor, random"
check "bad algorithm of MPI_Alltoall" refused coll_irr_alltoall_algorithm none "one of auto, direct, natural, spread, grid"
check "bad composition" refused coll_irr_compose 7 "one of auto, iovec, gather, split"
check "bad window_messages" refused coll_irr_window_messages -3 "a whole number"
check "bad window_bytes" refused coll_irr_window_bytes 12q "a whole number"
check "a bad size in dims" refused coll_irr_dims 1x8 "auto, or at most 15 sizes"
check "bad slice_min" refused coll_irr_slice_min -1 "a whole number.*0 means any length"
check "bad direct_bytes" refused coll_irr_direct_bytes some "auto, or a whole number.*0 means that no message goes directly"
check "bad overlap" refused coll_irr_overlap foo "one of pipelined, dual, single, blocking"
check "bad ranks_per_node" refused coll_irr_ranks_per_node -1 "a whole number.*that Open MPI knows"
check "bad pacing" refused coll_irr_pacing fast "one of auto, free, loose, grant"
check "bad host_route" refused coll_irr_host_route bridge "one of auto, direct, node"
check "bad lambda" refused coll_irr_lambda proportional "incremental, incremental:L, fixed:L, proportional:F"
check "bad redistribution" refused coll_irr_redistribution 1,2,3 "none, or four numbers x,p,y,q"
bad window_bytes=99999999999999999999 dims=8x
check "window_bytes out of range" refused coll_irr_window_bytes 99999999999999999999 "a whole number"
check "dims cut short" refused coll_irr_dims 8x "auto, or at most 15 sizes"
bad setup_share=abc verbose=-1 priority=foo transport=pigeon eager_bytes=12q
check "bad setup_share" refused coll_irr_setup_share abc "a whole number of percent from 0 on"
check "bad priority" refused coll_irr_priority foo "a whole number up to 100; a negative one disables"
check "bad transport" refused coll_irr_transport pigeon "one of auto"
check "bad eager_bytes" refused coll_irr_eager_bytes 12q "auto, or a whole number.*0 means UCX"
bad setup_share=-5
check "a negative setup_share" refused coll_irr_setup_share -5 "a whole number of percent from 0 on"
beside "a message names host and rank" one_message "host [^ ]*, rank 2 of MPI_COMM_WORLD: the value .* Value: *nonsense" \
    ranks 4 "$divide" 2 "$program" leaked_to_host else env OMPI_MCA_coll_irr_compose=nonsense "$program" leaked_to_host
beside "a misspelt parameter" misspelt "coll_irr_timoeut, .* sets to '5', so it has no effect; did you mean coll_irr_timeout?" \
    ranks 4 --mca coll_irr_timoeut 5 "$program" many
beside "a parameter that is like no other" misspelt "coll_irr_colour_of_the_lines, .*; ompi_info --param coll irr" \
    ranks 4 --mca coll_irr_colour_of_the_lines 5 "$program" many
beside "a misspelt parameter in a file" misspelt_in_file
bad dims=square
check "no dims at all" refused coll_irr_dims square "auto, or at most 15 sizes"
beside "older names" older_names
beside "a bad value of an info key with an older name" says "Parameter: coll_irr_pacing" \
    ranks 4 "$builddir/mpi_calls" repeats served=no coll_irr_alltoallv_algorithm=direct coll_irr_pace=fast
beside "good info keys" ranks 4 "$program" good_info
beside "bad info keys" bad_infos
beside "a bad value on two of four ranks" divided OMPI_MCA_coll_irr_compose=nonsense
if [ "$TRANSPORT" = ucx ]; then
    beside "transports of two ranks that do not reach the others" divided_far OMPI_MCA_coll_irr_ucx_tls=tcp,self \
        "cannot reach rank .*; each rank must reach all others with coll_irr_transport '[^ ]*', coll_irr_ucx_tls '[^ ]*' and coll_irr_ucx_devices ''; Open MPI"
else
    beside "transports of two ranks that do not reach the others" divided_far OMPI_MCA_coll_irr_ofi_provider=sockets \
        "coll_irr_ofi_provider is .* on rank .*, but not on rank"
fi
beside "different settings on two of four ranks" divided OMPI_MCA_coll_irr_window_messages=5
beside "different dims on two of four ranks" divided OMPI_MCA_coll_irr_dims=2x2
beside "different overlap on two of four ranks" divided OMPI_MCA_coll_irr_overlap=dual
beside "different seeds on two of four ranks" divided OMPI_MCA_coll_irr_seed=3
beside "a dump on two of four ranks" divided OMPI_MCA_coll_irr_matrix_dump="$scratch/dump"
# shellcheck disable=SC2086
beside "transports that do not exist" ranks 4 $nowhere "$program" leaked_to_host
beside "dims of more stages than a tag has" too_many_stages
beside "a negative priority disables" ranks 4 --mca coll_irr_priority -1 "$program" leaked_to_host
beside "a priority below tuned leaves it to tuned" ranks 4 --mca coll_irr_priority 5 "$program" leaked_to_host
beside "verbose says that a communicator is served" \
    one_says "MPI_COMM_WORLD, MPI_Alltoallv, 4 ranks on 1 node: direct, because coll_irr_alltoallv_algorithm is direct" \
    ranks 4 --mca coll_irr_verbose 1 "$program" many
beside "verbose says why a communicator is not served" \
    says "MPI_COMM_SELF is left to others: there is nobody to exchange with" \
    ranks 2 --mca coll_irr_verbose 10 "$program" unused
beside "ranks on one node" says "rank 3 of communicator .* is on node 0" \
    ranks 4 --mca coll_irr_verbose 10 "$program" leaked
beside "two ranks a node" says "rank 3 of communicator .* is on node 1" \
    ranks 4 --mca coll_irr_verbose 10 --mca coll_irr_ranks_per_node 2 "$program" leaked
beside "two ranks a node, by info key" says "rank 3 of .* DUP FROM 0 is on node 1" \
    ranks 4 --mca coll_irr_verbose 10 "$program" good_info
finish
exit $failed
