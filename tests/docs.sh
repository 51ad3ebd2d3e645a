#!/bin/sh
# docs.sh - the documents are correct: this test runs their commands, and checks their links and lists.
#
# Each block of commands, which begins with ```sh, is a case.  The blocks of a text run one after the other in one
# shell, in a new folder with `contrib` and `tests` of the checkout.  coll/irr is installed below $HOME/irr; its env.sh
# is read for all texts but the README, which has the command.  `app` is tests/docs_app.c, and irr_bench makes few
# iterations.  A block of another language with the name of a file in its first line, as in ```conf topology.conf, makes
# that file.  A comment before a block restricts its run:
#
#     <!-- long: REASON -->       the block runs only with IRR_CHECK_ALL=1, in a copy of the checkout
#     <!-- not run: REASON -->    the block never runs
LIMIT=${LIMIT:-180}
. "${srcdir:-.}/tests/mpi/lib.sh"
whole=${IRR_CHECK_ALL:-0}
top=$(cd "$srcdir" && pwd)
here=$(cd "$builddir" && pwd)
texts="README.md CONTRIBUTING.md SECURITY.md docs/install.md $(cd "$top" && ls docs/*.md | grep -v '^docs/install.md$')"

# blocks TEXT: prints "FIRST LAST HOW REASON" for each block of commands or of a file.  HOW is run, long, not or =NAME.
blocks() {
    awk '
        /^<!-- (long|not run): .* -->$/ {
            how = $2 == "long:" ? "long" : "not"
            reason = $0
            sub(/^<!-- [^:]*: /, "", reason)
            sub(/ -->$/, "", reason)
            next
        }
        /^```/ && inside { print first, NR, kind, why; inside = kind = 0; next }
        /^```/ {
            inside = 1
            first = NR
            kind = $1 == "```sh" ? (how ? how : "run") : NF > 1 ? "=" $2 : "text"
            why = reason
        }
        { how = reason = "" }' "$top/$1" | grep -v ' text *$'
}

# span TEXT FIRST LAST: prints the lines between two lines.
span() { sed -n "$(($2 + 1)),$(($3 - 1))p" "$top/$1"; }

# script TEXT: prints a script of the blocks to run.  The script prints the number of each finished block on file
# descriptor 9.
script() {
    echo 'set -e'
    blocks "$1" | while read -r first last how reason; do
        case $how in
            =*) printf "cat > '%s' << 'END OF FILE'\n%s\nEND OF FILE\n" "${how#=}" "$(span "$1" "$first" "$last")" ;;
            *)
                if runs "$how" "$1" "$first" "$last"; then
                    printf "exec > '%s/out.%s' 2>&1\n%s\necho %s >&9\n" "$scratch" "$first" \
                        "$(span "$1" "$first" "$last")" "$first"
                fi
                ;;
        esac
    done
}

# runs HOW TEXT FIRST LAST: true if this test runs the block.
runs() {
    [ "$1" != not ] && { [ "$1" = run ] || [ "$whole" = 1 ]; } && ! needs_root "$2" "$3" "$4"
}

needs_root() { [ "$(id -u)" -ne 0 ] && span "$1" "$2" "$3" | grep -q '^ *sudo '; }

# cases TEXT: runs a text and reports each block.
cases() {
    folder=$scratch/folder
    rm -rf "$folder"
    if [ "$whole" = 1 ]; then
        folder=$scratch/checkout
    else
        mkdir "$folder"
        ln -s "$top/contrib" "$top/tests" "$folder"
    fi
    script "$1" > "$scratch/script"
    : > "$scratch/reached"
    (
        cd "$folder" || exit
        [ "$1" = README.md ] && [ "$whole" = 1 ] || . "$HOME/irr/share/coll-irr/env.sh"
        timeout -k 5 "$LIMIT" sh "$scratch/script" 9> "$scratch/reached" > /dev/null 2>&1 < /dev/null
    )
    blocks "$1" > "$scratch/blocks"
    while read -r first last how reason; do
        name="$1:$first"
        if [ "${how#=}" != "$how" ]; then
            continue
        elif runs "$how" "$1" "$first" "$last"; then
            cp "$scratch/out.$first" "$scratch/out" 2> /dev/null || echo "an earlier block failed" > "$scratch/out"
            rm -f "$scratch/out.$first"
            grep -qx "$first" "$scratch/reached"
            report $? "$name"
        elif needs_root "$1" "$first" "$last"; then
            skip "$name" "it needs root"
        else
            skip "$name" "$reason"
        fi
    done < "$scratch/blocks"
}

# ---- texts and tools, without an installation ----

# An indented block of commands would not run, so each block must begin with ```.
fenced() {
    for text in $texts; do
        awk -v text="$text" '
            /^```/ { inside = !inside }
            !inside && /^    / && (blank || NR == 1) { print text ":" NR ": a block without ```"; bad = 1 }
            { blank = /^$/ }
            END { exit bad }' "$top/$text" || return
    done
}

links() { (cd "$1" && "$top/contrib/links" $texts); }

# The lists of packages in README.md and docs/install.md must be equal to the list in contrib/setup.
packages() {
    sed -n 's/^packages="\(.*\)"$/\1/p' "$top/contrib/setup" | tr ' ' '\n' | sort > "$scratch/packages"
    for text in README.md docs/install.md; do
        sed -n '/^apt-get update/,/[^\\]$/p' "$top/$text" | tr ' \\' '\n\n' | sed '1,/^--no-install-recommends$/d; /^$/d' |
            sort | diff "$scratch/packages" - || return
    done
}

# The algorithm in CONTRIBUTING.md must compile.
example() {
    sed -n '/^```c$/,/^```$/p' "$top/CONTRIBUTING.md" | sed '1d; /^```$/,$d' > "$scratch/example.c"
    printf 'extern const irr_order_t irr_order_reverse;\n' | cat "$top/ucx_engine/order/order.h" - > "$scratch/order.h"
    sed -i 's|"order/order.h"|"order.h"|' "$scratch/example.c"
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$scratch" -I"$top/ucx_engine" -fsyntax-only "$scratch/example.c"
}

# A page has at most 200 lines, so that a reader can read it without a pause.
short_pages() {
    (cd "$top/docs" && wc -l ./*.md) | awk '$2 != "total" && $1 > 200 { print; bad = 1 } END { exit bad }'
}

short_readme() { [ "$(wc -l < "$top/README.md")" -le 110 ]; }

algorithms() {
    for algorithm in $("$here/irr_plan" --list-algorithms | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p'); do
        [ "$algorithm" = auto ] || grep -q "\`$algorithm\`" "$top/docs/algorithms.md" || {
            echo "docs/algorithms.md lacks $algorithm"
            return 1
        }
    done
}

# completes WORDS WORD...: bash must complete the last word to WORDS.
completes() {
    expected=$1
    shift
    found=$(bash -c '. "$0" && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && text=$(complete -p "$1") &&
        text=${text##*-F } && "${text%% *}" "${COMP_WORDS[0]}" && echo "${COMPREPLY[*]}"' \
        "$top/contrib/coll-irr.bash" "$@")
    [ "$found" = "$expected" ] || {
        echo "$*: '$found', not '$expected'"
        return 1
    }
}

completion() {
    PATH=$here:$top/contrib:$PATH
    completes "--json" irr_plan print --js && completes "--unit" irr_bench --uni &&
        completes "recommend" irr_plan re && completes "convert" irr_matrix con &&
        completes "random random-sorted random-heap" irr_plan check --algorithm rand &&
        completes "all" irr_tune --help a && completes "--topology" yaml2topology --to &&
        completes "host,direct,random host,direct,random-sorted host,direct,random-heap" \
            irr_bench --algorithms host,direct,rand &&
        completes "--unit" mpirun --oversubscribe -n 4 irr_bench --uni &&
        completes "direct,random-heap" srun -n 4 "$here/irr_bench" --algorithms direct,random-heap &&
        completes "" mpirun --mc && completes "" mpirun -n 4 app --uni
}

# Pictures and tables must match the files of the measurements.
pictures() {
    "$top/contrib/wire_plot" --table -o "$scratch/wire.svg" "$top/docs/wire.csv" > "$scratch/table" &&
        cmp "$scratch/wire.svg" "$top/docs/wire.svg" && grep -q '>used share<' "$scratch/wire.svg" &&
        has_lines docs/results.md "$scratch/table"
}

# has_lines TEXT FILE: the text must have each line of the file.
has_lines() {
    while IFS= read -r line; do
        grep -q -x -F -e "$line" "$top/$1" || {
            echo "$1 lacks: $line"
            return 1
        }
    done < "$2"
}

# The table of `irr_plan simulate` must match the output of the command above it.
simulated() {
    command=$(sed -n 's/^irr_plan simulate /simulate /p' "$top/docs/plans.md" | head -n 1)
    # shellcheck disable=SC2086 # options
    "$here/irr_plan" $command > "$scratch/table" 2> /dev/null && [ "$(wc -l < "$scratch/table")" -gt 4 ] &&
        has_lines docs/plans.md "$scratch/table"
}

# Each picture of an algorithm must match the output of its command.
drawn() {
    mkdir -p "$scratch/drawn"
    grep -E '^(printf .* > [a-z]+[.]conf|irr_plan draw .* -o [a-z0-9-]+[.]svg)$' "$top/docs/algorithms.md" \
        > "$scratch/commands" && (cd "$scratch/drawn" && PATH=$here:$PATH sh -e "$scratch/commands") || return
    for picture in "$scratch"/drawn/*.svg; do
        cmp "$picture" "$top/docs/$(basename "$picture")" || return
    done
}

# Each script for users must have a help text.
scripts_help() {
    for script in applications check debian13 demo examples lab/lab links lldp2topology manual ompi_headers \
        package parameters regret roce transports wire_plot yaml2topology; do
        "$top/contrib/$script" --help > "$scratch/help" 2>&1 && [ "$(wc -l < "$scratch/help")" -gt 3 ] || {
            echo "contrib/$script --help:"
            cat "$scratch/help"
            return 1
        }
    done
}

# Each manual page of a tool must have commands of the documents as examples, and must name other pages.
manual_pages() {
    for page in irr_bench irr_chart irr_jobs irr_plan irr_matrix irr_tune irr_trace lldp2topology yaml2topology; do
        "$top/contrib/examples" "$page" "$top/docs/tools.md" "$top/docs/jobs.md" "$top/docs/plans.md" "$top/docs/topology.md" \
            > "$scratch/more" && grep -q "^\(mpirun .*\)\{0,1\}$page" "$scratch/more" || return
        [ ! -e "$here/$page.1" ] || { grep -q '^\.SH EXAMPLES' "$here/$page.1" &&
            grep -q '^\.SH "SEE ALSO"' "$here/$page.1" && grep -q 'coll_irr (7)' "$here/$page.1"; } || {
            cat "$scratch/more"
            echo "$page.1 lacks EXAMPLES or SEE ALSO"
            return 1
        }
    done
}

# Each tool must have a short and a full help text of at most 100 columns.
tools_help() {
    for tool in irr_bench irr_plan irr_matrix irr_tune; do
        "$here/$tool" --help > "$scratch/help" && "$here/$tool" --help all > "$scratch/whole" &&
            narrow "$tool" "$scratch/help" "$scratch/whole" || return
    done
    for script in irr_chart irr_jobs irr_trace lldp2topology yaml2topology lab/lab; do
        env COLUMNS=100 "$top/contrib/$script" --help > "$scratch/help" && narrow "$script" "$scratch/help" || return
    done
}

narrow() {
    awk -v tool="$1" 'length > 100 { print tool ": " $0; bad = 1 } END { exit bad || NR < 10 }' "$2" ${3:+"$3"}
}

parameters() { "$top/contrib/parameters" --check "$OMPI_INFO" "$top/docs/parameters.md"; }

# ---- an installation, and the programs that the texts name ----

# Variables of the make that runs the test, such as DESTDIR, must not reach this make.
make_installed() {
    env -u MAKEFLAGS -u MFLAGS -u DESTDIR make -C "$here" prefix="$HOME/irr" libdir="$HOME/irr/lib" \
        componentdir="$HOME/irr/lib/openmpi" "$1"
}

install_all() {
    HOME=$scratch/home
    bin=$scratch/bin
    mkdir -p "$HOME" "$bin" || return
    for pair in "mpirun $MPIRUN" "mpicc $OMPI_MPICC" "ompi_info $OMPI_INFO"; do
        ln -s "$(command -v "${pair#* }")" "$bin/${pair%% *}" || return
    done
    if [ "$(id -u)" -eq 0 ]; then
        printf '#!/bin/sh\nexec "$@"\n' > "$bin/sudo" && chmod +x "$bin/sudo"
    fi
    make_installed install && "$bin/mpicc" -O1 -o "$bin/app" "$top/tests/docs_app.c" &&
        mv "$HOME/irr/bin/irr_bench" "$scratch" &&
        printf '#!/bin/sh\nexec "%s/irr_bench" "$@" -i 3 -x 1\n' "$scratch" > "$HOME/irr/bin/irr_bench" &&
        chmod +x "$HOME/irr/bin/irr_bench" || return
    unset OMPI_MCA_mca_base_component_path OMPI_MCA_coll_irr_alltoallv_algorithm PMIX_MCA_mca_base_component_path
    PATH=$bin:$PATH
    export HOME PATH
    if [ "$whole" = 1 ]; then
        mkdir "$scratch/checkout" && (cd "$top" && tar -cf - --exclude=./build --exclude=./.git --exclude='./*.o' .) |
            tar -xf - -C "$scratch/checkout"
        LIMIT=3600
    fi
}

# The licence must be installed, and the links of the installed documents must work.
documents() { [ -s "$HOME/irr/share/doc/coll-irr/LICENSE" ] && links "$HOME/irr/share/doc/coll-irr"; }

# make uninstall must remove all files and folders of an installation.
remove_all() {
    make_installed uninstall || return
    [ ! -e "$HOME/irr" ] || {
        find "$HOME/irr"
        return 1
    }
}

# paths FILE: prints the variables to which env.sh and the module add folders.
paths() { grep -E '^(PATH|MANPATH|OMPI_MCA_mca_base_component_path|PMIX_MCA_mca_base_component_path)=' "$1" | sort; }

# The module must set the variables of env.sh; after `module unload` they must have their earlier values.
module_file() {
    modules=/usr/share/modules/init/sh
    where=$HOME/irr/share/coll-irr
    env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c '. "$0" && . "$1/env.sh" && env' $modules "$where" > "$scratch/env" &&
        env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c '
            . "$0" && module use "$1" && env > "$2.before" && module load coll-irr && irr_plan --version &&
                env > "$2.module" && module unload coll-irr && env > "$2.after"' \
            $modules "$where/modulefiles" "$scratch/env" || return
    paths "$scratch/env.module"
    [ "$(paths "$scratch/env.module")" = "$(paths "$scratch/env")" ] &&
        [ "$(paths "$scratch/env.before")" = "$(paths "$scratch/env.after")" ]
}

count_blocks() {
    for text in $texts; do
        blocks "$text"
    done | awk '$3 !~ /^=/' | wc -l
}

plan $((19 + $(count_blocks)))
check "each block of commands begins with \`\`\`" fenced
check "targets of links exist" links "$top"
check "the documents list the packages that contrib/setup installs" packages
check "the README has at most 110 lines" short_readme
check "the algorithm in CONTRIBUTING.md compiles" example
check "a page has at most 200 lines" short_pages
check "docs/algorithms.md has each algorithm" algorithms
check "pictures of algorithms match the output of irr_plan" drawn
if command -v python3 > /dev/null; then
    check "pictures and tables match the measurements" pictures
    check "scripts have a help text" scripts_help
    check "help texts of tools fit 100 columns" tools_help
else
    skip "pictures and tables match the measurements" "python3 was not found"
    skip "scripts have a help text" "python3 was not found"
    skip "help texts of tools fit 100 columns" "python3 was not found"
fi
check "the table of irr_plan simulate matches the output of its command" simulated
check "manual pages have examples" manual_pages
check "docs/parameters.md matches the component" parameters
if command -v bash > /dev/null; then
    check "bash completes options, commands and algorithms" completion
else
    skip "bash completes options, commands and algorithms" "bash was not found"
fi
install_all > "$scratch/out" 2>&1
report $? "make install succeeds"
check "documents and licence are installed" documents
if [ -e /usr/share/modules/init/sh ]; then
    check "the module file sets the variables of env.sh" module_file
else
    skip "the module file sets the variables of env.sh" "Environment Modules were not found"
fi
for text in $texts; do
    cases "$text"
done
check "make uninstall leaves nothing" remove_all
exit $failed
