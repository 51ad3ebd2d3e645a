#!/bin/sh
# layers.sh - checks the rules of CONTRIBUTING.md that no compiler checks, such as the includes of each layer.
#
# A scan takes the root of a source tree and prints the lines that break its rule.  A case passes if its scan prints
# nothing.  The last cases run the scans over a small tree that breaks each rule.  Without $builddir only the sources
# are checked.

srcdir=${srcdir:-.}
. "$srcdir/tests/tap.sh"
CC=${CC:-cc}

# check NAME COMMAND...: the command must succeed and print nothing.
check() {
    name=$1
    shift
    "$@" > "$scratch/out" 2>&1 && [ ! -s "$scratch/out" ]
    report $? "$name"
}

# text_of COMMENTS ROOT FOLDER...: prints the sources below the folders as FILE:LINE: text.  COMMENTS is 1 for only the
# comments, 0 for only the code.
text_of() {
    comments=$1 root=$2
    shift 2
    for folder; do
        find "$root/$folder" -name '*.[ch]' -exec awk -v comments="$comments" '
            FNR == 1 { comment = 0 }
            {
                text = ""
                for (rest = $0; rest != ""; rest = substr(rest, at + 2)) {
                    at = index(rest, comment ? "*/" : "/*")
                    if (comment == comments)
                        text = text (at > 0 ? substr(rest, 1, at - 1) : rest)
                    if (at == 0)
                        break
                    comment = !comment
                }
                print FILENAME ":" FNR ": " text
            }' {} +
    done
}

code() { text_of 0 "$@"; }

# includes NAMES: prints the lines of code that include one of these files or folders.  NAMES is an extended expression.
includes() {
    grep -E "# *include *[<\"]([^>\"]*/)?($1)"
}

# calls NAMES: prints the lines of code that call one of these functions.
calls() {
    grep -E "(^|[^A-Za-z0-9_])($1) *\\("
}

engine_knows_no_mpi() {
    code "$1" ucx_engine | includes 'mpi\.h|ompi/|opal/|ompi_config\.h|opal_config\.h'
    return 0
}

planning_is_pure() {
    code "$1" ucx_engine/problem ucx_engine/route ucx_engine/order ucx_engine/pacing ucx_engine/plan \
        ucx_engine/choose > "$scratch/code"
    includes 'transport/|exec/|comm/|time\.h|ucp/|ucs/|uct/|rdma/' < "$scratch/code"
    calls 'getenv|secure_getenv|time|clock|clock_gettime|gettimeofday|rand|random' < "$scratch/code"
    return 0
}

component_calls_no_library() {
    code "$1" ompi_coll_irr | includes 'ucp/|ucs/|uct/|ucm/|rdma/'
    return 0
}

# above FOLDERS HEADERS: prints the lines of code in the folders of the engine that include one of these headers.
above() {
    # FOLDERS is a list of words.
    # shellcheck disable=SC2086
    code "$root" $1 | includes "$2"
}

# The folders of docs/design.md, lowest line first.  A line includes no header of a line above its own.
folders_have_an_order() {
    root=$1/ucx_engine
    transports='transport/|exec/|comm/'
    above core "problem/|order/|route/|pacing/|plan/|choose/|$transports"
    above problem "order/|route/|pacing/|plan/|choose/|$transports"
    above order "route/|pacing/|plan/|choose/|$transports"
    above 'route pacing' "plan/([^ps]|p[^l]|s[^l])|choose/|$transports"
    above plan "choose/|$transports"
    above choose "$transports"
    above transport 'exec/|comm/|choose/' | grep -v '/transport/trace\.c:.*exec/tag\.h'
    above exec comm/
    return 0
}

study_is_apart() {
    code "$1" ucx_engine ompi_coll_irr | includes 'study/'
    return 0
}

# is_built HEADER: false if the header belongs to a transport that was not built, because its library was not found.
is_built() {
    case $1 in
        */transport/*/*) basename "$(dirname "$1")" | grep -qwF "$(printf '%s\n' ${TRANSPORTS-ucx ofi})" ;;
    esac
}

headers_stand_alone() {
    find "$1/ucx_engine" "$1/study" -name '*.h' | while read -r header; do
        is_built "$header" || continue
        # CC and the flags are lists of words.
        # shellcheck disable=SC2086
        $CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror $HEADER_CPPFLAGS -I"$1/ucx_engine" -I"$1" -fsyntax-only -x c \
            "$header" 2>&1
    done
}

files_are_short() {
    find "$1/ucx_engine" "$1/study" "$1/ompi_coll_irr" "$1/tools" "$1/tests" \( -name '*.[ch]' -o -name '*.sh' \) -exec awk '
        FNR == 501 { print FILENAME " has more than 500 lines" }' {} +
}

folders='ucx_engine study ompi_coll_irr tools tests'

# Names of files of other projects, of the build and of users, and names of the example in CONTRIBUTING.md.
elsewhere='coll_base_util.h op.h parse_config.c switch_record.c alltoall_lines.h alltoall.c reverse.c
ucx_engine/order/reverse.c irr_order_reverse'

# Comments and documents may name only existing files and functions.
names_exist() {
    (cd "$1" && find . -type f) | sed 's|^[.]/||' > "$scratch/files"
    { code "$1" $folders; cat "$1"/Makefile.am "$1"/contrib/* "$1"/tests/*.sh "$1"/tests/mpi/*.sh; } 2> /dev/null |
        grep -oE '(mca_coll_)?irr_[a-z0-9_]+' | sort -u > "$scratch/identifiers"
    { text_of 1 "$1" $folders; grep -n '' "$1"/README.md "$1"/CONTRIBUTING.md "$1"/docs/*.md "$1"/ucx_engine/*.md; } \
        2> /dev/null > "$scratch/texts"
    awk -v elsewhere="$elsewhere" '
        BEGIN { for (i = split(elsewhere, list); i > 0; i--) known[list[i]] }
        FILENAME ~ /files$/ {
            for (name = $0; name != ""; name = at > 0 ? substr(name, at + 1) : "") {
                known[name]
                at = index(name, "/")
            }
            next
        }
        FILENAME ~ /identifiers$/ { known[$0]; next }
        {
            where = $1
            text = substr($0, length($1) + 1)
            gsub(/[^A-Za-z0-9_.\/<>*{}$-]/, " ", text)
            for (i = split(text, words, " "); i > 0; i--) {
                word = words[i]
                sub(/[.]+$/, "", word)
                if ((word ~ /^[a-z_0-9\/]+[.][ch]$/ || word ~ /^(mca_coll_)?irr_[a-z0-9_]*[a-z0-9]$/) && !(word in known))
                    print where " " word " does not exist"
            }
        }' "$scratch/files" "$scratch/identifiers" "$scratch/texts"
}

lines_are_short() {
    find "$1/ucx_engine" "$1/study" "$1/ompi_coll_irr" "$1/tools" "$1/tests" -name '*.[ch]' -exec awk '
        length > 120 { print FILENAME ":" FNR " has more than 120 characters" }' {} +
}

# A source that no list of Makefile.am names would be missing from the archive of make dist.
sources_are_listed() {
    ( cd "$1" && find ucx_engine study ompi_coll_irr tools tests -name '*.[ch]' ) | while read -r source; do
        grep -qwF "$source" "$1/Makefile.am" || echo "$source is not in Makefile.am"
    done
}

# This scan takes archives instead of a source tree.  The sanitizers add symbols without the prefix.
symbols_have_the_prefix() {
    nm -g -P "$@" | awk '$2 ~ /^[A-TV-Z]$/ && $1 !~ /^irr_/ && $1 !~ /^__odr_asan/ { print $1 " has no prefix" }'
}

# Makes a tree that breaks each rule, and that uses each exception.
make_bad_tree() {
    for folder in comm problem route order pacing plan choose; do
        mkdir -p "$1/ucx_engine/$folder"
    done
    mkdir -p "$1/study" "$1/ompi_coll_irr" "$1/tools" "$1/tests"
    printf '#include "ompi/communicator.h"\n/* #include <mpi.h> */\n' > "$1/ucx_engine/comm/bad.c"
    printf '  #  include <mpi.h>\n' > "$1/ucx_engine/comm/bad.h"
    printf '#include "transport/transport.h"\nint a = mytime(1); /* Time (long)\ntime(0) */\n' \
        > "$1/ucx_engine/plan/bad.c"
    printf '/* */ int b = time (0); /* */\n' > "$1/ucx_engine/order/bad.c"
    printf 'struct unknown_type one;\n' > "$1/ucx_engine/order/bad.h"
    mkdir -p "$1/ucx_engine/core" "$1/ucx_engine/transport" "$1/ucx_engine/exec"
    printf '#include "plan/plan.h"\n#include "plan/slice.h"\n#include "plan/strategy.h"\n#include "plan/settings.h"\n' \
        > "$1/ucx_engine/route/bad.c"
    printf '#include "core/core.h"\n#include "route/route.h"\n' > "$1/ucx_engine/problem/bad.c"
    printf '#include "exec/tag.h"\n' > "$1/ucx_engine/transport/trace.c"
    printf '#include "exec/tag.h"\n' > "$1/ucx_engine/transport/bad.c"
    printf '#include <ucp/api/ucp.h>\n#include <rdma/fabric.h>\n#include "study/check.h"\n' > "$1/ompi_coll_irr/bad.c"
    printf '#include "study/check.h"\n' > "$1/study/good.c"
    awk 'BEGIN { for (i = 0; i < 501; i++) print "" }' > "$1/tools/bad.c"
    awk 'BEGIN { for (i = 0; i < 500; i++) print "" }' > "$1/tests/good.c"
    printf '/* %116s */\n/* %115s */\n' '' '' > "$1/study/bad.c"
    printf '/* %114s */\n' '' >> "$1/study/good.c"
    printf '/* irr_gone, and gone.c */ int irr_is_there; /* irr_is_there, study/good.c */\n' >> "$1/ucx_engine/plan/bad.c"
    find "$1" -name '*.[ch]' ! -path '*/order/bad.c' > "$1/Makefile.am"
}

# sees LINES SCAN: the scan must print LINES lines about files `bad` of the bad tree.
sees() {
    "$2" "$scratch/bad" > "$scratch/seen" 2>&1
    lines=$(grep -c '/bad\.' "$scratch/seen")
    [ "$lines" -eq "$1" ] || { echo "$2 saw $lines violations instead of $1"; cat "$scratch/seen"; }
}

# component_needs_no_front_end COMPONENT: prints the functions of MPI that the component needs when it is loaded.
component_needs_no_front_end() {
    nm -D --undefined-only "$1" | grep -o ' P\{0,1\}MPI_.*'
    return 0
}

violations_are_seen() {
    make_bad_tree "$scratch/bad"
    sees 2 engine_knows_no_mpi
    sees 2 planning_is_pure
    sees 2 component_calls_no_library
    sees 5 folders_have_an_order
    sees 1 study_is_apart
    sees 1 files_are_short
    sees 2 lines_are_short
    sees 1 sources_are_listed
    sees 2 names_exist
    headers_stand_alone "$scratch/bad" | grep -q 'bad\.h' || echo "headers_stand_alone saw nothing"
}

wrong_symbol_is_seen() {
    printf 'int irr_good; static int fine; int bad; int *use(void) { return &fine; }\n' > "$scratch/symbol.c"
    # shellcheck disable=SC2086
    $CC -c "$scratch/symbol.c" -o "$scratch/symbol.o"
    symbols_have_the_prefix "$scratch/symbol.o" | sort > "$scratch/seen"
    printf '%s has no prefix\n' bad use | cmp -s - "$scratch/seen" || cat "$scratch/seen"
}

archives=${builddir:+$builddir/.libs/libirr_exec.a $builddir/.libs/libirr_study.a}

echo "1..14"
check "the engine includes nothing of MPI" engine_knows_no_mpi "$srcdir"
check "planning uses no transport, no clock and no environment" planning_is_pure "$srcdir"
check "the folders of the engine include only headers of lower folders" folders_have_an_order "$srcdir"
check "the component includes nothing of UCX and libfabric" component_calls_no_library "$srcdir"
check "the engine and the component include nothing of study/" study_is_apart "$srcdir"
check "each header of the engine compiles alone" headers_stand_alone "$srcdir"
check "no source file has more than 500 lines" files_are_short "$srcdir"
check "no line of C has more than 120 characters" lines_are_short "$srcdir"
check "each source file is in a list of Makefile.am" sources_are_listed "$srcdir"
check "each file and function that a comment or a document names exists" names_exist "$srcdir"
if [ -f "${archives%% *}" ]; then
    # shellcheck disable=SC2086
    check "each symbol of the engine starts with irr_" symbols_have_the_prefix $archives
else
    skip "each symbol of the engine starts with irr_" "the engine is not built here; run make check"
fi
component=${builddir:-.}/.libs/mca_coll_irr.so
if [ -f "$component" ]; then
    check "the component needs no function of MPI" component_needs_no_front_end "$component"
else
    skip "the component needs no function of MPI" "the component is not built here"
fi
check "the scans find violations in sources" violations_are_seen
check "the scan of archives finds a symbol without the prefix" wrong_symbol_is_seen
exit $failed
