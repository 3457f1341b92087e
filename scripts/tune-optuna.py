#!/usr/bin/env python3
"""Searches a matcher's settings with Optuna; `earshot tune --evaluate` measures them.

Processes on several machines can share a study. They need the same storage: an SQLite file, another
database address that Optuna accepts, or a journal file ending in .log on a shared disk. Needs
`pip install optuna`. Arguments after `--` go to `earshot tune`.

  tune-optuna.py --storage study.log --study hard --trials 100 -- --plan tuning --jobs 1
"""
import argparse
import json
import subprocess
import sys

try:
    import optuna
    from optuna.trial import TrialState
except ImportError:
    optuna = None  # --help answers without it.


class Judge:
    """A child process that keeps the queries in memory and answers one request for each line."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.introduction = self.read()

    def read(self):
        line = self.child.stdout.readline()
        if not line:
            sys.exit(f"earshot ended with status {self.child.wait()}")
        return json.loads(line)

    def ask(self, settings, rung):
        self.child.stdin.write(json.dumps({"settings": settings, "rung": rung}) + "\n")
        self.child.stdin.flush()
        return self.read()

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def storage(address):
    if address.endswith(".log"):
        journal = optuna.storages.journal
        return optuna.storages.JournalStorage(journal.JournalFileBackend(address))
    return address if "://" in address else f"sqlite:///{address}"


def suggest(trial, setting):
    name, low, high = setting["name"], setting["lowest"], setting["highest"]
    log, step = setting["scale"] == "logarithmic", setting.get("step")
    if setting.get("choices"):
        # `earshot` takes the place of a choice.
        return trial.suggest_categorical(name, list(range(len(setting["choices"]))))
    if setting["isWhole"] and (step is None or not log):
        return trial.suggest_int(name, int(low), int(high), step=int(step or 1), log=log)
    value = trial.suggest_float(name, low, high, step=None if log else step, log=log)
    return value if step is None else min(round(low + round((value - low) / step) * step, 12), high)


def objective(judge):
    rungs = len(judge.introduction["rungTrials"])

    def recall(trial):
        settings = {setting["name"]: suggest(trial, setting) for setting in judge.introduction["settings"]}
        for rung in range(rungs):
            reply = judge.ask(settings, rung)
            if reply.get("error"):
                print(f"trial {trial.number}: {reply['error']}", file=sys.stderr)
                raise optuna.TrialPruned()
            found = reply["objectives"]
            trial.report(found["recall"], rung)
            if rung + 1 < rungs and trial.should_prune():
                raise optuna.TrialPruned()
        for name in ("indexBytes", "medianMilliseconds"):
            trial.set_user_attr(name, found.get(name))
        # Limits come first. At equal recall, more right references in first place are better.
        return found["recall"] - reply.get("excess", 1e9) + 1e-6 * found["rightTopShare"]

    return recall


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--storage", required=True, help="the study's storage, the same for all workers")
    parser.add_argument("--study", default="earshot", help="the study's name")
    parser.add_argument("--trials", type=int, help="stop at this number of trials of all workers")
    parser.add_argument("--minutes", type=float, help="start no trial after this time")
    parser.add_argument("--seed", type=int, help="the seed of this worker's draws; workers need different seeds")
    parser.add_argument("--earshot", default=".build/release/earshot", help="the program")
    arguments, rest = parser.parse_known_args()
    if optuna is None:
        parser.error("Optuna is not installed. Run: pip install optuna")
    if arguments.trials is None and arguments.minutes is None:
        parser.error("no limit; add --trials or --minutes")

    judge = Judge([arguments.earshot, "tune", "--evaluate"] + [word for word in rest if word != "--"])
    introduction = judge.introduction
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        study_name=arguments.study, storage=storage(arguments.storage), direction="maximize",
        load_if_exists=True, sampler=optuna.samplers.TPESampler(seed=arguments.seed, constant_liar=True),
        pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3))

    # Results on other queries, or from another start, are not comparable.
    identity = {key: introduction[key] for key in ("matcher", "planDigest", "start", "rungTrials")}
    known = study.user_attrs.get("identity")
    if known is None:
        study.set_user_attr("identity", identity)
        study.enqueue_trial({s["name"]: introduction["start"][s["name"]] for s in introduction["settings"]})
    elif known != identity:
        sys.exit(f"study {arguments.study} has another plan, matcher or start; choose another --study")

    finished = (TrialState.COMPLETE, TrialState.PRUNED)
    callbacks = []
    if arguments.trials is not None:
        callbacks.append(optuna.study.MaxTrialsCallback(arguments.trials, states=finished))
    study.optimize(
        objective(judge), timeout=None if arguments.minutes is None else 60 * arguments.minutes,
        callbacks=callbacks)
    judge.close()

    trials = study.get_trials(deepcopy=False, states=finished)
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    print(f"{len(trials)} trials, {len(complete)} of them on all queries")
    if not complete:
        sys.exit("no trial ran on all queries")
    print(f"best: recall {study.best_value:.4f}, trial {study.best_trial.number}")
    choices = {setting["name"]: setting.get("choices") for setting in introduction["settings"]}
    best = {name: choices[name][value] if choices[name] else value for name, value in study.best_params.items()}
    print(" ".join(f"--look-at {name}={value}" for name, value in sorted(best.items())))


if __name__ == "__main__":
    main()
