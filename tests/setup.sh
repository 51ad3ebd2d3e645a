#!/bin/sh
# setup.sh - contrib/demo and contrib/check give the same results in any order, and fail if a test program did not run.
#
# The scripts run in a small checkout.  Its configure finds CUnit if the file cunit exists, and its make counts tests
# without running any.
. "${srcdir:-.}/tests/tap.sh"

top=$scratch/top
mkdir -p "$top/contrib" "$top/tests/data" "$scratch/bin"
for script in help setup check demo; do
    cp "${srcdir:-.}/contrib/$script" "$top/contrib"
done
PATH=$scratch/bin:$PATH
unset CI MAKEFLAGS MFLAGS MAKELEVEL IRR_CHECK_ALL IRR_CHECK_ROCE IRR_CHECK_OMPI5 IRR_CHECK_OMPI6
export PATH

# All packages count as installed.
printf '#!/bin/sh\necho "install ok installed"\n' > "$scratch/bin/dpkg-query"
# Like the real mpirun, this one refuses root without the two variables, and fails if the program does not exist.
cat > "$scratch/bin/mpirun" << 'END'
#!/bin/sh
[ "$(id -u)" -ne 0 ] || [ "${OMPI_ALLOW_RUN_AS_ROOT:-}${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-}" = 11 ] || exit 1
while :; do
    case $1 in
        --oversubscribe) shift ;;
        -n | -np) shift 2 ;;
        --mca) shift 3 ;;
        *) break ;;
    esac
done
command -v "$1"
END
printf '#!/bin/sh\necho irr\n' > "$scratch/bin/ompi_info"

touch "$top/configure.ac" "$top/Makefile.am" "$top/Makefile.in" "$top/tests/data/source"
cat > "$top/configure" << 'END'
#!/bin/sh
top=$(dirname "$0")
options=$*
cunit=$([ -e "$top/cunit" ] && echo yes || echo no)
echo "echo \"$options\"" > config.status
sed "s|@TOP@|$top|; s|@CUNIT@|$cunit|; s|@OPTIONS@|$options|" "$top/Makefile.in" > Makefile
END
cat > "$top/Makefile.in" << 'END'
engine_tests = test_a test_b
all: built
built:
	echo '@OPTIONS@' > $@
install: all
	@mkdir -p install/share/coll-irr install/bin
	@printf '#!/bin/sh\n' > install/bin/irr_bench && chmod +x install/bin/irr_bench
	@echo 'PATH=@TOP@/build/install/bin:$$PATH' > install/share/coll-irr/env.sh
clean:
	rm -f built
distcheck:
	@tar -cJf coll-irr-0.tar.xz -C @TOP@/.. top/tests
ifeq (@CUNIT@,yes)
script_programs = must_fail
$(engine_tests) must_fail: built
endif
check-TESTS: $(check_PROGRAMS)
	@sh @TOP@/run $(TESTS)
print-engine-tests:
	@echo $(engine_tests)
print-scripts:
	@echo life.sh tests/mpi/ring.sh
print-message-scripts:
	@echo message.sh
print-script-programs:
	@echo $(script_programs)
END
# A program has three cases, a script one; all pass.
cat > "$top/run" << 'END'
for test in "$@"; do
    case $test in
        *.sh) echo "PASS: $test 1 - case" ;;
        *) for i in 1 2 3; do echo "PASS: $test $i - case"; done ;;
    esac
    mkdir -p "$(dirname "$test")"
    : > "${test%.sh}.trs"
done | tee cases
printf '# PASS:  %s\n# SKIP:  0\n# FAIL:  0\n' $(grep -c ^PASS cases) > test-suite.log
END
chmod +x "$top/configure" "$scratch"/bin/*

fresh() { rm -rf "$top/build" "$top/cunit"; }
demo() { "$top/contrib/demo"; }
run_check() {
    "$top/contrib/check" "$@" > "$scratch/check" 2>&1
    status=$?
    cat "$scratch/check"
    return $status
}
ends() { tail -n 1 "$scratch/check" | grep -qx "$1"; }

# 13 cases: two scripts, two over UCX, two over libfabric, six with sanitizers, the distribution without UCX.
# 17 cases with --all: one script over UCX, one over libfabric, six cases without sanitizers.
all_passed() { run_check && ends '13 passed, 0 failed, 7 skipped'; }
check_first() {
    fresh
    touch "$top/cunit"
    all_passed && demo && all_passed
}
check_all() { run_check --all && ends '17 passed, 0 failed, 3 skipped'; }
check_all_by_environment() {
    IRR_CHECK_ALL=1
    export IRR_CHECK_ALL
    run_check && ends '17 passed, 0 failed, 3 skipped'
    status=$?
    unset IRR_CHECK_ALL
    return $status
}
# contrib/debian13 runs the build and fourteen more cases; if it cannot, one case is skipped with the reason.
check_ompi5() {
    printf '#!/bin/sh\nexec "$@"\n' > "$top/contrib/debian13" && chmod +x "$top/contrib/debian13"
    run_check --ompi5 && ends '27 passed, 0 failed, 6 skipped' &&
        grep -e --with-ompi-source "$top/build/ompi5/built" || return
    printf '#!/bin/sh\necho "debian13: it needs root" >&2\nexit 77\n' > "$top/contrib/debian13"
    run_check --ompi5 && ends '13 passed, 0 failed, 7 skipped' && grep 'SKIP: .*: debian13: it needs root' "$scratch/check"
}
# contrib/ompi_build builds Open MPI, and one script runs there; if it cannot, the check fails.
check_ompi6() {
    printf '#!/bin/sh\necho "$1" > "%s"\n' "$scratch/sources" > "$top/contrib/ompi_build" &&
        chmod +x "$top/contrib/ompi_build"
    run_check --ompi6 "$scratch" && ends '15 passed, 0 failed, 6 skipped' && grep -qx "$scratch" "$scratch/sources" &&
        grep -e "--with-ompi=$top/build/openmpi6 .*--disable-mpi-abi" "$top/build/ompi6_libmpi/built" &&
        grep -e "--with-ompi=$top/build/openmpi6 .*--enable-mpi-abi" "$top/build/ompi6_libmpi_abi/built" || return
    printf '#!/bin/sh\nexit 1\n' > "$top/contrib/ompi_build"
    ! run_check --ompi6 "$scratch" && ! run_check --ompi6
}
cunit_comes_later() {
    fresh
    demo || return
    touch "$top/cunit"
    all_passed
}
cunit_goes() {
    rm "$top/cunit"
    ! run_check && grep -qx 'FAIL: test_a was not run' "$scratch/check" &&
        grep -qx 'FAIL: test_b was not run' "$scratch/check"
}
built() { grep -e "$1" "$top/build/built"; }
warnings_are_errors() {
    fresh
    touch "$top/cunit"
    demo && ! built --enable-werror || return
    CI=true
    export CI
    all_passed && built --enable-werror && grep -e --enable-werror "$top/build/asan/built"
    status=$?
    unset CI
    return $status
}
same_options() {
    fresh
    demo && echo old > "$top/build/built" && demo && built old
}

# Runs the printed commands in a new shell.
next_runs() {
    fresh
    demo > "$scratch/said" || return
    sed -n '/^Next/,$s/^    //p' "$scratch/said" > "$scratch/next"
    cat "$scratch/next"
    grep -q '^mpirun .*irr_bench' "$scratch/next" &&
        env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM sh -ex "$scratch/next"
}

echo 1..10
check "check before and after demo counts the same tests" check_first
check "check --all also runs the long tests" check_all
check "IRR_CHECK_ALL=1 has the effect of --all" check_all_by_environment
check "check --ompi5 runs the tests on Open MPI 5.0, or skips them" check_ompi5
check "check --ompi6 runs the scripts of MPI on Open MPI 6.0" check_ompi6
check "check finds CUnit if it was installed after demo" cunit_comes_later
check "check fails if CUnit was removed" cunit_goes
check "CI=true makes warnings errors" warnings_are_errors
check "a second demo with the same options removes no objects" same_options
check "the commands that demo prints as next steps succeed" next_runs
exit $failed
