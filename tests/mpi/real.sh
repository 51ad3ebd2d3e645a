#!/bin/sh
# real.sh - traffic of applications: irr_bench verifies every byte.
#
# tests/data has count matrices of an airfoil mesh.  Recorded matrices of applications are read from ../shared/data,
# beside the checkout, if they exist.
LIMIT=120
. "${srcdir:-.}/tests/mpi/lib.sh"
data=$srcdir/tests/data
shared=$srcdir/../shared/data

# served RANKS MATRIX SCALE: all bytes are right, and coll/irr served all rows except host.
served() {
    shown ranks "$1" "$builddir/irr_bench" --matrix "$2" --scale "$3" --algorithms host,direct,natural,grid -c -i 3 -x 1 &&
        [ "$(lines ' yes$')" -eq 4 ] && [ "$(lines '(host)')" -eq 0 ]
}

plan 6
for n in 8 16 32; do
    [ $n -le 16 ] || whole || { left_out "airfoil mesh on $n ranks"; continue; }
    check "airfoil mesh on $n ranks" served $n "$data/airfoil-$n.mtx" 10
done
for case in 8:0.002 16:0.001 128:0.0005; do
    n=${case%:*}
    [ $n -le 16 ] || whole || { left_out "recorded application on $n ranks"; continue; }
    if [ -r "$shared/app-$n.mtx" ]; then
        check "recorded application on $n ranks" served "$n" "$shared/app-$n.mtx" "${case#*:}"
    else
        skip "recorded application on $n ranks" "../shared/data/app-$n.mtx is not here"
    fi
done
exit $failed
