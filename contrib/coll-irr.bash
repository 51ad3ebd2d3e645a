# coll-irr.bash - completes the options of coll/irr's tools in bash, from what the tools themselves tell by --help.

_coll_irr() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
    COMPREPLY=()
    case $before in
        --algorithm | --algorithms) words=$("$1" --list-algorithms 2> /dev/null | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p') ;;
        --help | -h) words=all ;;
        *)
            case $word in
                -*) words=$("$1" --help 2> /dev/null | sed -n 's/^ \{1,6\}\(-[A-Za-z][^-]*\)\{0,1\}\(--[a-z-]*\).*/\2/p') ;;
                *)
                    [ "$COMP_CWORD" -ne 1 ] ||
                        words=$("$1" --help 2> /dev/null | sed -n '/^ \{1,6\}-/q; s/^  \([a-z][a-z-]*\) .*/\1/p')
                    ;;
            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _coll_irr irr_bench irr_compose irr_matrix irr_plan irr_routes irr_trace irr_tune lldp2topology yaml2topology
