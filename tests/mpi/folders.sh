#!/bin/sh
# folders.sh - env.sh and the module file set the folders in which Open MPI looks for components.  Jobs run if the folder
# of coll/irr is missing on all nodes or on some of them, and a warning names a copy of coll/irr that Open MPI ignores.
LIMIT=60
. "${srcdir:-.}/tests/mpi/lib.sh"
unset OMPI_MCA_mca_base_component_path
place=$scratch/lib/openmpi
system=$scratch/system
mkdir -p "$scratch/lib" "$system" "$scratch/modules"
ln -s "$ours" "$place"
for file in env.sh modulefile; do
    sed -e "s|@componentdir@|$place|g; s|@ompidir@|$system|g; s|@pmixdir@|$PMIX_COMPONENTS|g; s|@VERSION@|1|g" \
        -e "s|@[a-z]*dir@|$scratch|g" "$srcdir/contrib/$file.in" > "$scratch/$file"
done
mv "$scratch/modulefile" "$scratch/modules/coll-irr"

# sets FOLDERS [VALUE]: env.sh changes the variable from VALUE to FOLDERS, also if it runs twice.
sets() {
    [ $# -eq 1 ] || OMPI_MCA_mca_base_component_path=$2
    set -- "$1" "$(set -eu; . "$scratch/env.sh"; . "$scratch/env.sh"; sh -c 'echo "$OMPI_MCA_mca_base_component_path"')"
    echo "$2"
    [ "$2" = "$1" ]
}
sets_all() {
    sets "SYS_DEFAULT:$place:USER_DEFAULT" && sets "SYS_DEFAULT:$place:USER_DEFAULT" SYS_DEFAULT:USER_DEFAULT &&
        sets "/a:SYS_DEFAULT:$place:/b" /a:SYS_DEFAULT:/b && sets "SYS_DEFAULT:$place" SYS_DEFAULT &&
        sets "/a:$place" /a && sets "$place:SYS_DEFAULT" "$place:SYS_DEFAULT"
}

# The module sets the variable to the value of env.sh, and resets it.
module_sets() {
    # shellcheck disable=SC2016
    sh -c '. "$0" && module use "$1" && module load coll-irr && echo "${OMPI_MCA_mca_base_component_path}" &&
        module unload coll-irr && echo "${OMPI_MCA_mca_base_component_path:-none}"' \
        /usr/share/modules/init/sh "$scratch/modules" > "$scratch/run" || return
    cat "$scratch/run"
    printf '%s\n' "SYS_DEFAULT:$place:USER_DEFAULT" none | diff - "$scratch/run"
}

# The recipe of Spack appends the folders in the order of env.sh.
recipe_sets() {
    sed -n 's/.*append_path(path, \(.*\))/\1/p' "$srcdir"/contrib/spack/spack_repo/coll_irr/packages/coll_irr/package.py |
        tr '\n' ' ' > "$scratch/run"
    cat "$scratch/run"
    [ "$(cat "$scratch/run")" = '"SYS_DEFAULT" self.prefix.lib.openmpi "USER_DEFAULT" ' ]
}

# with FOLDER COMMAND...: runs a command with the order of env.sh, but with another folder for coll/irr.
with() {
    path=SYS_DEFAULT:$1:USER_DEFAULT
    shift
    OMPI_MCA_mca_base_component_path=$path "$@"
}

# Ranks 0 and 1 of four find the folder; ranks 2 and 3 do not.
on_some() {
    one_message "rank 2 of MPI_COMM_WORLD has not loaded coll/irr, but rank 0 has.*Open MPI" with "$scratch/none" ranks 4 \
        "$divide" 2 env OMPI_MCA_mca_base_component_path="SYS_DEFAULT:$place:USER_DEFAULT" "$builddir/mpi_mixed" apart \
        else "$builddir/mpi_mixed" apart
}

# Open MPI loads the copy in the folder that comes first.
ignored_copy() {
    mkdir "$scratch/other" && cp "$ours/mca_coll_irr.so" "$scratch/other" || return
    one_message "Open MPI has loaded $scratch/other/mca_coll_irr.so (version .*ignores $place/mca_coll_irr.so; remove one" \
        with "$scratch/other:$place" ranks 2 "$builddir/mpi_mixed" same
}
same_copy() { with "$place:$ours" silent_job same; }
silent_job() { shown ranks 2 "$builddir/mpi_mixed" "$1" && [ "$(lines coll/irr:)" -eq 0 ]; }

# env.sh warns if Open MPI's own folder has another copy.
env_warns() {
    (. "$scratch/env.sh") > "$scratch/run" 2>&1 && [ ! -s "$scratch/run" ] && : > "$system/mca_coll_irr.so" || return
    (. "$scratch/env.sh") 2> "$scratch/run" && cat "$scratch/run" || return
    rm "$system/mca_coll_irr.so"
    grep -qF "Open MPI loads $system/mca_coll_irr.so instead of $place/mca_coll_irr.so" "$scratch/run"
}

plan 10
check "env.sh puts the folder after Open MPI's own" sets_all
if [ -r /usr/share/modules/init/sh ]; then
    check "the module file sets the same folders" module_sets
else
    skip "the module file sets the same folders" "Environment Modules are not installed (Debian: environment-modules)"
fi
check "the recipe of Spack sets the same folders" recipe_sets
beside "the folder exists" says "coll: irr" with "$place" "$OMPI_INFO"
beside "no folder: mpirun runs a program" with "$scratch/none" ranks 2 true
beside "no folder: Open MPI serves a job" with "$scratch/none" silent_job apart
beside "only some ranks find the folder: Open MPI serves all of them" on_some
beside "a warning names a copy that Open MPI ignores" ignored_copy
beside "no warning about a second path to the same copy" same_copy
check "env.sh warns of another copy in Open MPI's folder" env_warns
finish
exit $failed
