#!/bin/sh
# jobs.sh - irr_jobs starts pairs of jobs, prints the ratios of their times, and refuses bad input.
#
# Most cases use a launcher that prints given times instead of starting a job; a few run real jobs.

srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/lib.sh"
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$PATH

# job ARGUMENT...: runs irr_jobs; stores its exit status in $status, stdout in $scratch/table, stderr in $scratch/err.
job() {
    timeout -k 5 "$LIMIT" python3 "$srcdir/contrib/irr_jobs" "$@" > "$scratch/table" 2> "$scratch/err" < /dev/null
    status=$?
}

# good ARGUMENT...: irr_jobs ends with exit status 0 and prints nothing on stderr.
good() {
    job "$@"
    cat "$scratch/table" "$scratch/err"
    [ $status -eq 0 ] && [ ! -s "$scratch/err" ]
}

# bad STATUS TEXT ARGUMENT...: irr_jobs ends with STATUS and prints one line on stderr, which starts with TEXT.
bad() {
    wanted=$1
    text=$2
    shift 2
    job "$@"
    cat "$scratch/table" "$scratch/err"
    [ $status -eq "$wanted" ] && [ "$(wc -l < "$scratch/err")" -eq 1 ] && grep -q -F "irr_jobs: $text" "$scratch/err"
}

# refused NAME TEXT ARGUMENT...: checks that irr_jobs ends with exit status 2 and a line that starts with TEXT.
refused() {
    name=$1
    text=$2
    shift 2
    check "$name" bad 2 "$text" "$@"
}

# launcher NAME LINE...: writes a script of these lines, which replaces mpirun.
launcher() {
    name=$scratch/$1
    shift
    printf '%s\n' '#!/bin/sh' 'print_job() { echo "{\"calls_ms\": $1, \"last_ms\": 100, \"exchanges\": 4, \"served\": $2, \"loaded\": $3}"; }' "$@" > "$name"
    chmod +x "$name"
}

# row TEXT: the table has only one row, which has TEXT after several blanks become one.
row() {
    grep -v '^#' "$scratch/table" | tr -s ' ' | grep -c . | grep -qx 1 &&
        grep -v '^#' "$scratch/table" | tr -s ' ' | grep -q -F -e "$1"
}

# all_traffic: each kind of job has a row, and coll/irr served all calls, but not the first nonblocking one.
all_traffic() {
    good --launch "$MPIRUN --oversubscribe" --ranks 2 --calls 3 --bytes 100 --pairs 1 --algorithms direct &&
        [ "$(awk '/^  / && !/pneighbor/ { print $1 $2 $3 $4 $5 "=" $NF }' "$scratch/table" | tr '\n' ' ')" = \
            'same23100direct=1.00 fresh23100direct=1.00 new23100direct=1.00 alternate23-direct=1.00'\
' neighbor23-direct=1.00 ineighbor23-direct=0.67 partners23-direct=1.00 ring23-direct=1.00 halves23-direct=1.00 ' ]
}

# persistent: jobs of persistent requests, where MPI has them; elsewhere they are refused.
persistent() {
    if "$builddir/irr_bench" --help all | grep -q '^  start '; then
        good --launch "$MPIRUN --oversubscribe" --ranks 4 --calls 4 --pairs 1 --traffic pneighbor \
            --algorithms direct && row ' pneighbor 4 4 - direct ' && grep -q '^  .* 1\.00$' "$scratch/table"
    else
        bad 2 "--traffic pneighbor: this MPI has no persistent collectives" --traffic pneighbor
    fi
}

alltoall() {
    good --launch "$MPIRUN --oversubscribe" --ranks 3 --calls 2 --bytes 8 --pairs 1 --traffic new --alltoall \
        --algorithms grid && row ' new 3 2 8 grid ' && grep -q '^  .* 1\.00$' "$scratch/table" &&
        grep -q '^# irr_jobs: whole jobs of MPI_Alltoall, pairs: 1' "$scratch/table"
}

# The jobs without coll/irr take 3 s; those with coll/irr take 2, 1 and 6 s in the three pairs.
ratios() {
    job --launch "$scratch/times" --ranks 7 --calls 4 --bytes 9 --pairs 3 --traffic same --json "$scratch/x.json" &&
        row ' same 7 4 9 auto ' && row ' 1.500 0.50 3.00 1.000 1.00 1.00 ' && row ' 3000.00 0.50' &&
        grep -q '^# least median of auto: whole [0-9.]*, calls 1.500, last 1.000$' "$scratch/table" &&
        [ "$(grep -cx 'words of the launcher' "$scratch/err")" -eq 6 ]
}

json() {
    tr -d ' \n' < "$scratch/x.json" > "$scratch/packed"
    grep -q '"traffic":"same","ranks":7,"calls":4,"bytes":9,"runs":\[{"algorithm":"host","served":0.0,' \
        "$scratch/packed" && grep -q '"last_ms":\[100,100,100\]' "$scratch/packed" &&
        grep -q '"calls_ms":\[2000,1000,6000\]' "$scratch/packed" && grep -q '"pairs":3,"seed":[0-9]' "$scratch/packed"
}

# order SEED: prints the jobs of thirty pairs, one pair per line.
order() {
    rm -f "$scratch/log"
    job --launch "$scratch/times" --ranks 2 --calls 1 --bytes 1 --pairs 30 --traffic same --algorithms direct,grid --seed "$1" &&
        grep -q "^# the jobs of each pair in random order, seed: $1\$" "$scratch/table" && paste -d ' ' - - - < "$scratch/log"
}

# Each pair has each of three jobs once, and all six orders occur.  Only equal seeds give equal sequences of orders.
random_order() {
    order 1 > "$scratch/order.1" && order 2 > "$scratch/order.2" && order 1 > "$scratch/order.3" || return
    cat "$scratch/order.1"
    ! cmp -s "$scratch/order.1" "$scratch/order.2" && cmp "$scratch/order.1" "$scratch/order.3" &&
        [ "$(sort -u "$scratch/order.1" | tr '\n' ,)" = \
            '^irr direct grid,^irr grid direct,direct ^irr grid,direct grid ^irr,grid ^irr direct,grid direct ^irr,' ]
}

# Without --seed irr_jobs prints a seed, and two runs have different seeds.
seeds() {
    for _ in 1 2; do
        job --launch "$scratch/times" --ranks 2 --calls 1 --bytes 1 --pairs 1 --traffic same || return
        sed -n 's/^# the jobs of each pair in random order, seed: \([0-9][0-9]*\)$/\1/p' "$scratch/table"
    done > "$scratch/seeds"
    cat "$scratch/seeds"
    [ "$(sort -u "$scratch/seeds" | wc -l)" -eq 2 ]
}

# Before the jobs of a user's command, irr_jobs runs irr_bench to detect coll/irr.  For auto it sets no parameter.  One
# more job of each algorithm has the report.
users_command() {
    rm -f "$scratch/log"
    job --launch "$scratch/times" --ranks 2 --pairs 2 --algorithms auto,grid --json "$scratch/x.json" \
        -- /a/program -x 1 &&
        [ "$(head -n 3 "$scratch/log" | tr '\n' ' ')" = '^irr auto grid ' ] &&
        [ "$(tail -n +4 "$scratch/log" | sort | tr '\n' ' ')" = '^irr ^irr grid grid grid unset unset unset ' ] &&
        grep -q '^# program on 2 ranks, grid: 2 pairs are too few for a verdict, which needs 6; ' "$scratch/table" &&
        [ "$(grep -c '^  program *2 *- *- ' "$scratch/table")" -eq 2 ] &&
        grep -q '^# irr_jobs: whole jobs of /a/program, pairs: 2' "$scratch/table" &&
        grep -qx '# least median of grid: whole [0-9.]*' "$scratch/table" &&
        [ "$(tail -n 1 "$scratch/words")" = '-n 2 /a/program -x 1' ] &&
        tr -d ' \n' < "$scratch/x.json" |
            grep -q '"calls":null,"bytes":null,"runs":\[{"algorithm":"host","served":null,"verdict":null,"interval":null'
}

# The launcher writes a report in which coll/irr served 50 of 80 exchanges.
verdict() {
    job --launch "$scratch/reports" --ranks 2 --pairs 6 --json "$scratch/x.json" -- /a/program &&
        grep -q -E '^# program on 2 ranks, auto: (faster|slower|no difference): median speedup [0-9.]+, interval ' \
            "$scratch/table" &&
        grep -q ' [0-9.]* to [0-9.]* (97 %); coll/irr served 62 % of 80 exchanges$' "$scratch/table" &&
        row ' - 0.62' && tr -d ' \n' < "$scratch/x.json" |
            grep -q '"algorithm":"auto","served":0.625,"verdict":"[a-z]*","interval":\[[0-9]'
}

# Each value is below the median with probability 1/2.  Both values beyond an end of the interval of 9 values count.
intervals() {
    PYTHONDONTWRITEBYTECODE=1 python3 - "$srcdir/contrib/irr_jobs" << 'END'
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("irr_jobs", sys.argv[1])
jobs = importlib.util.module_from_spec(importlib.util.spec_from_loader("irr_jobs", loader))
loader.exec_module(jobs)
assert jobs.interval_of([1.1] * 5) is None and jobs.interval_of([]) is None and jobs.verdict_of(None) is None
assert jobs.interval_of([3, 1, 2, 6, 5, 4]) == (1, 6, 1 - 2 / 64)
assert jobs.interval_of(range(1, 10)) == (2, 8, 1 - 2 * (1 + 9) / 512)
assert jobs.interval_of(range(1, 9))[:2] == (1, 8)
ends = ((1.01, 1.2), (0.8, 0.99), (0.9, 1.1), (1, 1.1), (0.9, 1))
assert [jobs.verdict_of((*pair, 1)) for pair in ends] == ["faster", "slower"] + 3 * ["no difference"]
assert jobs.served_in({"rows": [{"exchanges": 100, "served": 30}, {"exchanges": 20, "served": 7}]}) == (120, 37)
END
}

# irr_jobs and irr_bench accept the name of an algorithm in capital letters, as parameters do.
capitals() {
    rm -f "$scratch/log"
    job --launch "$scratch/times" --ranks 2 --calls 1 --bytes 1 --pairs 1 --traffic same --algorithms DIRECT &&
        grep -qx DIRECT "$scratch/log"
}

takes_n() {
    rm -f "$scratch/words"
    job --launch "$scratch/srun -p debug" --ranks 3 --calls 4 --bytes 9 --pairs 1 --traffic same &&
        [ "$(cut -d ' ' -f 1-4 "$scratch/words" | sort -u)" = '-p debug -n 3' ]
}

real_command() {
    good --launch "$MPIRUN --oversubscribe" --ranks 2 --pairs 1 -- true && row ' true 2 - - auto ' &&
        grep -q 'coll/irr served is unknown, because rank 0 has left no report' "$scratch/table" &&
        job --launch "$MPIRUN --oversubscribe" --ranks 2 --pairs 1 --algorithms direct,host -- \
            "$builddir/irr_bench" --loop same --iterations 7 &&
        grep -q '^# irr_bench on 2 ranks, direct: 1 pairs .*; coll/irr served 100 % of 7 exchanges$' "$scratch/table" &&
        grep -q '^# irr_bench on 2 ranks, host: 1 pairs are too few for a verdict, which needs 6$' "$scratch/table"
}

command -v python3 > /dev/null || skip_all "python3 was not found"
plan 38

launcher times 'echo words of the launcher' \
    "echo \"\$*\" >> '$scratch/words'" \
    'if [ -n "$OMPI_MCA_coll" ]; then' \
    "    echo \"\$OMPI_MCA_coll\" >> '$scratch/log'" \
    '    print_job 3000 0 false' \
    'else' \
    "    echo \"\${OMPI_MCA_coll_irr_alltoallv_algorithm:-unset}\" >> '$scratch/log'" \
    "    set -- \$(cat '$scratch/next' 2> /dev/null || echo 2 1 6)" \
    '    print_job "${1}000" 2 true' \
    '    shift' \
    "    echo \"\${*:-2 1 6}\" > '$scratch/next'" \
    'fi'
launcher reports "'$scratch/times' \"\$@\"" 'if [ -n "$OMPI_MCA_coll_irr_report" ]; then' \
    'echo "{\"rows\": [{\"exchanges\": 80, \"served\": 50, \"strategy\": \"direct\"}]}" > "$OMPI_MCA_coll_irr_report"' fi
launcher srun 'for word; do case $word in -np) echo "srun: invalid partition: p" >&2; exit 1 ;; esac; done' \
    'exec "${0%/*}/times" "$@"'
launcher fails 'case $* in *--loop*) [ -n "$OMPI_MCA_coll" ] && print_job 1 0 false || print_job 1 0 true ;; *) exit 3 ;; esac'
launcher never 'print_job 1 0 false'
launcher always 'print_job 1 0 true'

# ---- jobs ----

check "coll/irr serves jobs of each kind of traffic" all_traffic
check "jobs of persistent requests" persistent
check "jobs of MPI_Alltoall" alltoall
check "ratios of the times of pairs" ratios
check "the times of all jobs as JSON" json
check "the jobs of a pair run in random order" random_order
check "random seeds without --seed" seeds
check "jobs of a user's command" users_command
check "jobs of a user's command under mpirun" real_command
check "verdict and share of a user's command" verdict
check "confidence intervals, verdicts and shares of given values" intervals
check "a name in capital letters" capitals
check "a launcher that accepts -n but not -np, like srun" takes_n

# ---- launchers ----

refused "a missing launcher" "$scratch/none: No such file" --launch "$scratch/none"
check "a job that fails" bad 1 "job irr_bench --loop same --iterations 1 --unit 8 on 2 ranks, host: false ended by exit status 1" \
    --launch false --algorithms host
check "a job that prints no result" bad 1 "job irr_bench --loop same --iterations 1 --unit 8 on 2 ranks, host: true ended, but its rank 0 reported no time" \
    --launch true --algorithms host
refused "a launcher whose jobs never load coll/irr" "coll/irr is not loaded in a job with coll/irr" \
    --launch "$scratch/never"
refused "a launcher whose jobs always load coll/irr" "coll/irr is loaded in a job without coll/irr" --launch "$scratch/always"
refused "an empty launcher" "--launch has no words" --launch ' '

# ---- options ----

check "help" good --help
check "version" good --version
refused "zero calls" "--calls '0' is not an integer from 1" --calls 1,0
refused "zero ranks" "--ranks '0' is not an integer from 1" --ranks 0
refused "blocks that are too long" "--bytes '1048577' is not an integer from 1 to 1048576" --bytes 8,1048577
refused "too many values of --calls" "--calls has more than the 16 values" --calls 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
refused "-- without a command" "-- is followed by no command" --pairs 1 --
refused "unknown traffic" "unknown traffic 'old', known are same, fresh" --traffic old
refused "another call with the traffic of one call" "--traffic ring does not go with --alltoall" --alltoall --traffic same,ring
refused "an unknown algorithm" "unknown algorithm 'direkt', known are host, auto" --algorithms direkt
refused "older names of algorithms pass, and a missing folder fails" "$scratch/none/x.json: No such file" --algorithms a3,redist \
    --json "$scratch/none/x.json"
refused "an argument without an option" "unrecognized arguments: x" x
refused "--calls with a user's command" "--calls does not go with a command" --calls 1 -- true
check "a user's command that fails" bad 1 "job false on 2 ranks, host: $scratch/fails ended by exit status 3" \
    --launch "$scratch/fails" --ranks 2 --algorithms host -- false
refused "a result file that cannot be written" "$scratch/none/x.json: No such file" --json "$scratch/none/x.json"
OMPI_COMM_WORLD_SIZE=2 && export OMPI_COMM_WORLD_SIZE
refused "irr_jobs inside a job of mpirun" "starts mpirun itself; run it without"
unset OMPI_COMM_WORLD_SIZE
OMPI_MCA_coll=^tuned && export OMPI_MCA_coll
refused "OMPI_MCA_coll in the environment" "sets OMPI_MCA_coll in each job; unset yours, '^tuned'"
unset OMPI_MCA_coll
refused "algorithm p2p" "unknown algorithm 'p2p'" --algorithms auto,p2p
refused "an option of irr_bench" "unrecognized arguments: --matrix x.mtx" --matrix x.mtx
exit $failed
