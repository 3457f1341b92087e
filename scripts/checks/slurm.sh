#!/bin/bash
# Checks that a run in shards on Slurm equals a run on one machine, byte for byte.
# It starts Slurm with two nodes on this machine, as root. It runs an array of 8 with scripts/slurm.sbatch, loses a node
# during the run, and merges. In the first of two rounds the node dies with its task. In the second the node is only
# unreachable. Its task is then run again elsewhere, and both attempts end.
# Arguments: a folder for all files (a new one in /tmp), the plan (smoke). EARSHOT_BINARY is the program, .build/release/earshot by
# default. Needs slurm-wlm and munge.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
cd "$(dirname "$0")/../.."

root=${1:-$(mktemp -d /tmp/earshot-slurm-XXXXXX)}
plan=${2:-smoke}
mkdir -p "$root"
root=$(cd "$root" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "slurm: Slurm's daemons need root. Run this as root" >&2; exit 1; }
EARSHOT=$(realpath "${EARSHOT_BINARY:-.build/release/earshot}")
export EARSHOT SLURM_CONF="$root/slurm/slurm.conf"
slurm=$root/slurm
munge=$slurm/munge
host=$(uname -n)
host=${host%%.*}

say() { echo "slurm: $(($(date +%s) - began)) s: $*"; }
fail() {
    say "FAILED: $*" >&2
    exit 1
}
# Waits until a command succeeds, or fails after a number of seconds.
await() { # seconds, description, command
    local limit=$(($(date +%s) + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$limit" ] || fail "timeout before $what"
        sleep 0.2
    done
}
end() { # a file with a process id: ends that process and waits for it
    local process
    process=$(cat "$1" 2>/dev/null) && kill "$process" 2>/dev/null || return 0
    for _ in $(seq 50); do
        kill -0 "$process" 2>/dev/null || return 0
        sleep 0.1
    done
}
stop() {
    scancel --quiet --user=root 2>/dev/null || true
    end "$slurm/slurmctld.pid"
    end "$slurm/slurmd.n1.pid"
    end "$slurm/slurmd.n2.pid"
    end "$munge/munged.pid"
}

start() {
    mkdir -p "$slurm"/{state,spool/n1,spool/n2} "$munge"
    chmod 755 "$root" "$slurm"
    head -c 1024 /dev/urandom >"$munge/key"
    chmod 400 "$munge/key"
    chown -R munge:munge "$munge"
    chmod 755 "$munge"
    runuser -u munge -- munged --force --key-file="$munge/key" --socket="$munge/socket" \
        --log-file="$munge/log" --pid-file="$munge/munged.pid" --seed-file="$munge/seed"
    # cred_expire is also the wait before a task is queued again. SlurmdTimeout is the time that a node may be silent.
    cat >"$SLURM_CONF" <<C
ClusterName=earshot
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$munge/socket,cred_expire=10
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmctldPort=16817
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmdSpoolDir=$slurm/spool/%n
StateSaveLocation=$slurm/state
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
SlurmdTimeout=10
InactiveLimit=0
KillWait=5
MinJobAge=3600
JobRequeue=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1 RealMemory=1000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=1000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
C
    slurmctld -c
    slurmd -N n1
    slurmd -N n2
    await 30 "both nodes are idle" nodes_are_idle
}
nodes_are_idle() { [ "$(sinfo --noheader --format=%T --Node | grep -c idle)" -eq 2 ]; }
node_is_down() { sinfo --noheader --Node --nodes=n2 --format=%T | grep -q down; }

# The processes of the task on node n2, and the daemon's child that supervises them.
processes_of_n2() {
    for process in /proc/[0-9]*; do
        tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx 'SLURMD_NODENAME=n2' || continue
        tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF" || continue
        echo "${process#/proc/}"
        parent=$(awk '/^PPid:/ { print $2 }' "$process/status")
        case "$(cat "/proc/$parent/comm")" in slurmstepd*) echo "$parent" ;; esac
    done 2>/dev/null | sort -u
}
task_on_n2() { squeue --noheader --array --states=RUNNING --nodelist=n2 --format=%K | head -n 1; }
trials_run_on_n2() {
    task=$(task_on_n2)
    [ -n "$task" ] && grep -q '^trials: [1-9]' "$run/$task.txt"
}
task_was_requeued() { [ "$(scontrol show job "${array}_$task" -o | sed 's/.* Restarts=\([0-9]*\).*/\1/')" -ge 1 ]; }
queue_is_empty() { [ -z "$(squeue --noheader)" ]; }

compare() { # run, name: exits unless the run equals the one on one machine
    "$EARSHOT" report "$1" --reproducible --output "$1.plain" --outcomes "$1.plain/outcomes.jsonl" >/dev/null
    diff -r "$root/one.plain" "$1.plain" >&2 || fail "$2: the merged run differs from the one on one machine"
    say "$2: all $(find "$1.plain" -type f | wc -l) files equal those of one machine, byte for byte"
}

began=$(date +%s)
say "one machine, plan $plan; files are in $root"
"$EARSHOT" evaluate --plan "$plan" --no-cache --output "$root/one" >"$root/one.txt" 2>"$root/one.log"
"$EARSHOT" report "$root/one" --reproducible --output "$root/one.plain" \
    --outcomes "$root/one.plain/outcomes.jsonl" >/dev/null
trap stop EXIT
start
say "Slurm $(sinfo --version | cut -d ' ' -f 2) runs two nodes"

for death in dead unseen; do
    run=$root/$death
    mkdir -p "$run"
    array=$(sbatch --parsable --array=1-8 --output="$run/%a.txt" scripts/slurm.sbatch 8 "$run" --plan "$plan")
    await 120 "a task on n2 runs trials" trials_run_on_n2
    victims=$(processes_of_n2)
    kill -KILL "$(cat "$slurm/slurmd.n2.pid")"
    if [ "$death" = dead ]; then
        # shellcheck disable=SC2086 # several ids
        kill -KILL $victims
        say "$death: killed n2 with its task $task ($(echo "$victims" | wc -w) processes)"
        await 120 "n2 is down" node_is_down
    else
        # The task is stopped, so that it ends after the second attempt.
        # shellcheck disable=SC2086
        kill -STOP $victims
        scontrol update nodename=n2 state=down reason=lost
        say "$death: n2 is unreachable; its task $task is slow but alive"
    fi
    [ ! -d "$run/shard-$task-of-8" ] || fail "task $task was done before its node was killed"
    await 60 "task $task is queued again" task_was_requeued
    say "$death: n2 is down and task $task is queued again"
    if [ "$death" = unseen ]; then
        # First in the queue, to save time.
        scontrol update "jobid=${array}_$task" priority=4294960000
        await 600 "task $task is done on n1" test -d "$run/shard-$task-of-8"
        # shellcheck disable=SC2086
        kill -CONT $victims
        await 120 "the first attempt has ended" grep -q "done by another attempt" "$run/$task.txt"
        say "$death: the second attempt of task $task was done first, then the first ended too"
    fi
    slurmd -N n2
    await 600 "all tasks are done" queue_is_empty
    say "$death: all tasks are done; remaining attempts: $(find "$run/attempts" -mindepth 1 -maxdepth 1 | wc -l)"
    "$EARSHOT" merge "$run"/shard-*-of-8 --output "$run/merged" >"$run/merged.txt" 2>"$run/merged.log" ||
        fail "$(cat "$run/merged.log")"
    compare "$run/merged" "$death"
done
say "passed"
