# tap.sh - common parts of the shell tests: a scratch folder, and the TAP lines of their cases.

count=0
failed=0
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# report STATUS NAME: prints the line of a case, and if it failed, its output from $scratch/out and $scratch/err.
report() {
    finish
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=1
    echo "not ok $count - $2"
    echo "# exit status $1"
    cat "$scratch/out" "$scratch/err" 2> /dev/null | sed 's/^/# /' | tail -n 60
}

# check NAME COMMAND...: reports a case: the command, or the function of a script, must succeed.
check() {
    name=$1
    shift
    "$@" > "$scratch/out" 2>&1 < /dev/null
    report $? "$name"
}

# ended_by INT|PIPE INPUT COMMAND...: reports a case: the signal ends a Python script without a traceback.  INT is sent
# while the script reads INPUT, a pipe that the command names.  PIPE is caused by a stdout without a reader.
ended_by() {
    mkfifo "$2"
    python3 - "$@" > "$scratch/out" 2>&1 << 'END'
import os, signal, subprocess, sys
name, pipe, *command = sys.argv[1:]
signal.alarm(30)
reader, writer = os.pipe()
if name == "PIPE":
    os.close(reader)
process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, text=True)
if name == "INT":
    os.open(pipe, os.O_WRONLY)   # returns when the script has opened the other end
    process.send_signal(signal.SIGINT)
text = process.communicate()[1]
print(process.returncode, text)
sys.exit(process.returncode != -getattr(signal, "SIG" + name) or "Traceback" in text)
END
    report $? "SIG$1 ends $(basename "$4") without a traceback"
    rm "$2"
}

# keeps TOOL FILE COMMAND...: a command that writes the FILE, longer than a kilobyte, must replace it and keep its mode.
# If the FILE can have only 512 bytes, the command must fail with status 1, name the TOOL and the FILE, and keep its
# contents; also without a buffer of Python.
keeps() {
    writer=$1 output=$2
    shift 2
    echo earlier > "$output" && chmod 640 "$output" && (ulimit -f 1 && trap '' XFSZ &&
        for unbuffered in '' 1; do
            PYTHONUNBUFFERED=$unbuffered "$@" 2> "$scratch/kept" < /dev/null
            status=$?
            cat "$scratch/kept"
            [ $status -eq 1 ] && grep -q "^$writer: $output: File too large$" "$scratch/kept" || exit 1
        done) && [ "$(cat "$output")" = earlier ] && [ ! -e "$output.part" ] && "$@" < /dev/null || return
    ls -l "$output"*
    [ "$(wc -c < "$output")" -gt 1024 ] && [ "$(stat -c %a "$output")" = 640 ] && [ ! -e "$output.part" ]
}

# skip_all REASON: ends a script whose cases cannot run.
skip_all() {
    echo "1..0 # SKIP $*"
    exit 0
}

# skip NAME REASON: reports a case that is not run.
skip() {
    finish
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# apart COMMAND...: runs a case concurrently with the next cases, at most $AT_ONCE at a time.  The case has its own $scratch.
# finish: waits for all cases that apart has started, and prints their lines in order.
AT_ONCE=4
running=
pids=
apart() {
    folder=$scratch/case.$count
    mkdir "$folder"
    (running= scratch=$folder && "$@") > "$folder.tap" 2>&1 &
    count=$((count + 1)) running="$running $folder.tap" pids="$pids $!"
    [ "$(echo "$running" | wc -w)" -lt "$AT_ONCE" ] || finish
}

finish() {
    # shellcheck disable=SC2086
    [ -z "$running" ] || wait $pids
    for tap in $running; do
        cat "$tap"
        ! grep -q '^not ok' "$tap" || failed=1
    done
    running= pids=
}
