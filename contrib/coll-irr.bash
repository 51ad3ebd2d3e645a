# coll-irr.bash - completes the options of coll/irr's tools in bash, also after mpirun and srun.  The options come from
# --help of the tools.

_coll_irr_tools="irr_bench irr_chart irr_jobs irr_matrix irr_plan irr_trace irr_tune lldp2topology yaml2topology"

_coll_irr() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words first=
    COMPREPLY=()
    case $before in
        --algorithm | --algorithms)
            words=$("$1" --list-algorithms 2> /dev/null | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p')
            # Completes the last name of a list.
            [ "${word%,*}" = "$word" ] || first=${word%,*},
            ;;
        --help | -h) words=all ;;
        *)
            case $word in
                -*)
                    words=$("$1" --help 2> /dev/null |
                        sed -n 's/^ \{1,6\}\(-[A-Za-z][^-]*\)\{0,1\}\(--[a-z-]*\).*/\2/p')
                    ;;
                *)
                    [ "$COMP_CWORD" -ne 1 ] ||
                        words=$("$1" --help 2> /dev/null | sed -n '/^ \{1,6\}-/q; s/^  \([a-z][a-z-]*\) .*/\1/p')
                    ;;
            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -P "$first" -W "$words" -- "${word#"$first"}")
}

# Completes a tool after a launcher and its options.
_coll_irr_launched() {
    local i tool
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        tool=${COMP_WORDS[i]}
        case " $_coll_irr_tools " in
            *" ${tool##*/} "*)
                COMP_WORDS=("${COMP_WORDS[@]:i}")
                COMP_CWORD=$((COMP_CWORD - i))
                _coll_irr "$tool"
                return
                ;;
        esac
    done
}

# shellcheck disable=SC2086
complete -o default -F _coll_irr $_coll_irr_tools
# If another package completes a launcher, its completion stays.
for _coll_irr_launcher in mpirun mpiexec srun; do
    complete -p "$_coll_irr_launcher" > /dev/null 2>&1 ||
        complete -o default -F _coll_irr_launched "$_coll_irr_launcher"
done
unset _coll_irr_launcher
