"""Measures a matcher of this process: the program asks, and a fork of this process answers."""

from __future__ import annotations

import array
import contextlib
import ctypes
import hashlib
import json
import os
import re
import resource
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt
import pandas as pd

from . import protocol
from .audio import as_json, write_recordings
from .degradation import Degradation, Degrader, Function
from .matcher import ArrayAdapter, Matcher
from .program import EXIT_CODES, EarshotError, environment, message, program, run, warn, warning
from .run import Run

Recordings = str | os.PathLike[str] | Mapping[str, tuple[npt.ArrayLike, float]]
"""A folder, or samples and their rates by name."""

BUILT_IN = ("earshot", "null", "oracle")
VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX")
"""What a Python program needs of the environment to find its modules; the program passes on few others."""
BRIDGE = "EARSHOT_BRIDGE"
"""The variable that names the socket of this process to a bridge."""
LOCKS = 10
"""RLIMIT_LOCKS, by which the program knows the processes of a matcher."""
END_WITH_PARENT = 1
"""PR_SET_PDEATHSIG."""
GRACE_SECONDS = 3.0
SHOWN = 12
"""The trials that the report shows in full, unless the options say otherwise."""
LOG = "matcher-errors.jsonl"
DEGRADATION_LOG = "degradation-errors.jsonl"


def evaluate(
    matcher: Matcher | str,
    *,
    references: Recordings | None = None,
    queries: str | os.PathLike[str] | pd.DataFrame | None = None,
    plan: str | os.PathLike[str] = "smoke",
    degradations: Mapping[str, Function | Degradation] | None = None,
    chain: Sequence[Mapping[str, Any] | Function | Degradation] | None = None,
    output: str | os.PathLike[str] | None = None,
    processes: int = 1,
    progress: bool = True,
    fresh: bool = False,
    options: Sequence[str] = (),
) -> Run:
    """Measures a matcher and returns its run. The same call continues a run that was interrupted.

    `matcher` is a `Matcher`, the command line of a program, or `earshot`, `null` or `oracle`. A `Matcher` may be of a class
    in a notebook: a fork of this process answers, so the object itself stays as it is. It must not use a GPU before `enrol`.

    Without `queries` the plan cuts and degrades queries of `references`, or of its own corpus. `queries` is a list of recorded
    queries, or a table with the columns `query` and `reference` whose files are named from the current folder.

    Each of `degradations`, functions by name, is one more condition of the plan, or one for each of its severities. So is
    `chain`, in which functions stand among built-in steps. A function takes samples of shape (frames,) or (frames, channels),
    the rate, a `numpy.random.Generator` and the severity or None. It returns as many samples, or a tuple of them and of its
    delay in seconds, which is measured otherwise.

    `output` is the folder of the run. By default it is named after plan, matcher and version, in `earshot-runs`. `processes`
    divides the trials among so many matchers. `options` are further options of `earshot evaluate`.
    """
    if isinstance(matcher, type):
        raise TypeError(f"{matcher.__name__} is a class; give an instance of it: evaluate({matcher.__name__}())")
    adapter = ArrayAdapter(matcher) if isinstance(matcher, Matcher) else None
    degrader = Degrader(degradations, chain)
    if queries is not None and (degrader.known or chain is not None):
        raise ValueError("recorded queries are not degraded; leave out `queries`, or `degradations` and `chain`")
    options = options if "--details" in options else [*options, "--details", str(SHOWN)]
    folder = Path(output) if output else default_folder(adapter, str(matcher), Path(plan).stem, degrader)
    if adapter and (folder / "summary.json").exists() and (found := Run(folder).name) != f"{adapter.name} {adapter.version}":
        raise EarshotError(f"{folder} holds a run of {found}; choose another output for {adapter.name} {adapter.version}")
    arguments = ["--plan", os.fspath(plan), *corpus(references, queries, folder), *options, *(["--fresh"] if fresh else [])]
    if degrader.chain is not None:
        arguments += ["--chain", as_json(degrader.chain)]
    if degrader.known:
        degrader.log = folder.absolute() / DEGRADATION_LOG
        arguments += ["--degradation-command", bridge("degradations"), "--degradation-env", BRIDGE]
    arguments += asking(matcher, adapter, folder)
    if processes == 1:
        shards, target = [(folder, arguments)], folder
    else:
        jobs = str(max(1, (os.cpu_count() or 1) // processes))
        target = folder / "merged"
        shards = [
            (folder / f"{number}-of-{processes}", [*arguments, "--shard", f"{number}/{processes}", "--jobs", jobs])
            for number in range(1, processes + 1)
        ]
    try:
        with Host({"matcher": adapter, "degradations": degrader}, progress) as host:
            host.run([["evaluate", "--progress", "json", *own, "--output", str(place)] for place, own in shards])
        for text in host.warnings:
            warn(text)
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()  # A start that failed leaves it empty.
    if processes > 1:
        shutil.rmtree(target, ignore_errors=True)
        run("merge", *(place for place, _ in shards), "--output", target)
    measured = Run(target)
    warn_of_errors(measured, folder / LOG)
    return measured


def bridge(*role: str) -> str:
    """The command line of a program for which a fork of this process answers."""
    return shlex.join([sys.executable, "-I", "-S", str(Path(__file__).with_name("bridge.py")), *role])


def asking(matcher: Matcher | str, adapter: ArrayAdapter | None, folder: Path) -> list[str]:
    """The options that choose a matcher. That of an object makes a log in the folder of results."""
    if adapter is None:
        if matcher in BUILT_IN:
            return ["--matcher", str(matcher)]
        return ["--matcher-command", str(matcher), *passed(*variables())]
    adapter.log = folder.absolute() / LOG  # The matcher works in another folder.
    return ["--matcher-command", bridge(), *passed(BRIDGE)]


def variables() -> list[str]:
    """The variables of this environment that a Python program needs."""
    return [name for name in VARIABLES if name in os.environ]


def passed(*names: str) -> list[str]:
    """The options that pass variables on to a matcher's program."""
    return [word for name in names for word in ("--adapter-env", name)]


def default_folder(adapter: ArrayAdapter | None, name: str, plan: str, degrader: Degrader | None = None) -> Path:
    words = [plan, adapter.name, adapter.version] if adapter else [plan, name]
    if degrader and (degrader.known or degrader.chain is not None):
        words.append(hashlib.sha256(as_json([degrader.offered, degrader.chain]).encode()).hexdigest()[:8])
    return Path("earshot-runs") / "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", word).strip("-") for word in words)


def corpus(
    references: Recordings | None, queries: str | os.PathLike[str] | pd.DataFrame | None, folder: Path
) -> list[str]:
    """The options that choose recordings and queries. Arrays and tables become files in the folder of the run."""
    if references is None and queries is not None:
        raise ValueError("queries need references")
    folder.mkdir(parents=True, exist_ok=True)
    if references is None:
        return []
    if isinstance(references, Mapping):
        place = folder / "references"
        write_recordings(place, references)
    else:
        place = Path(references)
    if queries is None:
        return ["--folder", str(place)]
    if isinstance(queries, pd.DataFrame):
        table = folder / "queries.csv"
        queries.to_csv(table, index=False)
        return ["--references", str(place), "--queries", str(table), "--query-folder", os.getcwd()]
    return ["--references", str(place), "--queries", os.fspath(queries)]


def errors(log: Path) -> dict[str, str]:
    """The tracebacks in the log of a matcher, by their last lines."""
    if not log.exists():
        return {}
    return dict(json.loads(line) for line in log.read_text().splitlines())


def warn_of_errors(measured: Run, log: Path) -> None:
    """Warns of trials that failed, and shows the first exception with its trial."""
    failed = measured.errors
    if len(failed):
        first = failed.iloc[0]
        text = next((trace for line, trace in errors(log).items() if line in first.error), first.error)
        warn(
            f"{len(failed)} of {len(measured.trials)} trials failed and count as not found; see Run.errors. "
            f"The first is {first.trial}:\n{text}"
        )


class Host:
    """Runs commands of the program at once, and forks what answers for each bridge that they start."""

    def __init__(self, responders: Mapping[str, ArrayAdapter | Degrader | None], progress: bool) -> None:
        self.responders = responders
        """What answers, by the role that a bridge states."""
        self.selector = selectors.DefaultSelector()
        self.progress = Progress(progress)
        self.folder = tempfile.mkdtemp(prefix="earshot-")
        self.listener = socket.socket(socket.AF_UNIX)
        self.commands: list[subprocess.Popen[bytes]] = []
        self.lines: list[str] = []
        self.warnings: dict[str, None] = {}
        """Those of all commands in their order; shards have the same ones."""
        self.forks: dict[int, tuple[int, socket.socket]] = {}
        """The process and the connection to the bridge of each fork, by the descriptor of the process."""

    def __enter__(self) -> Host:
        self.listener.bind(f"{self.folder}/bridge")
        self.listener.listen()
        self.selector.register(self.listener, selectors.EVENT_READ, self.fork)
        return self

    def run(self, commands: Sequence[Sequence[str]]) -> None:
        """Runs commands to their ends. Raises an `EarshotError` if one fails."""
        variables = {**environment(), BRIDGE: f"{self.folder}/bridge"}
        for number, command in enumerate(commands):
            with open(self.output(number), "wb") as output:
                process = subprocess.Popen(
                    [program(), *command], env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                    preexec_fn=end_with_parent,
                )  # fmt: skip
            self.commands.append(process)
            assert process.stderr
            os.set_blocking(process.stderr.fileno(), False)
            self.selector.register(process.stderr, selectors.EVENT_READ, Reader(self, number, process.stderr).read)
        while any(not process.stderr.closed for process in self.commands if process.stderr):
            for key, _ in self.selector.select():
                key.data()
        statuses = [process.wait() for process in self.commands]
        self.progress.end()
        # A run without some conditions prints its report, as one of errors alone does; one without its corpus has none.
        # A search whose limits nothing keeps has a result, too.
        fine = (EXIT_CODES["pass"], EXIT_CODES["unavailable"], EXIT_CODES["error"], EXIT_CODES["improved"])
        ended = enumerate(statuses)
        wrong = next((own for number, own in ended if own not in fine or not os.path.getsize(self.output(number))), None)
        if wrong is not None:
            logs = [responder.log for responder in self.responders.values() if responder and responder.log]
            traces = [trace for log in logs for trace in list(errors(log).values())[-1:]]
            raise EarshotError("\n".join([message("\n".join(self.lines), "", wrong), *traces]))

    def output(self, number: int) -> str:
        """The file of what a command prints."""
        return f"{self.folder}/{number}"

    def fork(self) -> None:
        """Forks what answers for a bridge, in its process group, so that the program counts and ends it."""
        connection, _ = self.listener.accept()
        words, control, _, _ = connection.recvmsg(4096, socket.CMSG_SPACE(12))
        streams = array.array("i")
        streams.frombytes(control[0][2])
        bridge = int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with warnings.catch_warnings():
            # The fork only answers, so threads that it lacks are not missed.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            connection.close()
            role, place = os.fsdecode(words).split("\n", 1)
            self.answer(role, bridge, list(streams), place)
        for stream in streams:
            os.close(stream)
        end = os.pidfd_open(process)
        self.forks[end] = (process, connection)
        self.selector.register(end, selectors.EVENT_READ, lambda: self.reap(end))

    def answer(self, role: str, bridge: int, streams: Sequence[int], place: str) -> None:
        """Answers a bridge, and ends this process."""
        status = 1
        try:
            os.setpgid(0, bridge)
            resource.setrlimit(LOCKS, resource.prlimit(bridge, LOCKS))
            self.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for stream in streams:
                os.close(stream)
            with contextlib.suppress(ValueError):
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGINT, signal.SIG_DFL)
            sys.stdin, sys.stdout, sys.stderr = os.fdopen(os.dup(0)), printer(2), printer(2)
            os.environ.update(EARSHOT_WORK=place, TMPDIR=place)
            tempfile.tempdir = None
            os.chdir(place)
            responder = self.responders[role]
            assert responder
            protocol.converse(responder)
            status = 0
        except SystemExit as exit:
            status = exit.code if isinstance(exit.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status & 0xFF)

    def reap(self, end: int) -> None:
        """Tells the bridge how its fork ended."""
        process, connection = self.forks.pop(end)
        self.selector.unregister(end)
        os.close(end)
        status = os.waitpid(process, 0)[1]
        code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(OSError):
            connection.send(bytes([code if code >= 0 else 128 - code]))
        connection.close()

    def close(self) -> None:
        """Closes what a fork must not hold."""
        for process in self.commands:
            if process.stderr:
                process.stderr.close()
        for end, (_, connection) in self.forks.items():
            connection.close()
            os.close(end)
        self.listener.close()
        self.selector.close()

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        for sign in (signal.SIGINT, signal.SIGKILL):
            for process in self.commands:
                if process.poll() is None:
                    process.send_signal(sign)
            for process in self.commands:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE_SECONDS)
        for number, _connection in self.forks.values():
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if kind is KeyboardInterrupt:
            self.progress.say("interrupted; the same call continues the run")


def end_with_parent() -> None:
    """Ends a child when this process is killed."""
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGTERM, 0, 0, 0)


def printer(stream: int) -> IO[str]:
    """Prints to a stream at once."""
    return os.fdopen(os.dup(stream), "w", buffering=1, errors="replace")


class Reader:
    """Reads the lines that a command prints."""

    def __init__(self, host: Host, number: int, stream: IO[bytes]) -> None:
        self.host, self.number, self.stream = host, number, stream
        self.rest = b""

    def read(self) -> None:
        block = self.stream.read(65536)
        *lines, self.rest = (self.rest + (block or b"")).split(b"\n")
        for line in lines + ([self.rest] if not block else []):
            text = line.decode(errors="replace")
            if warned := warning(text):
                self.host.warnings[warned] = None
            elif text and not self.host.progress.take(self.number, text):
                self.host.lines.append(text)
                if not text.startswith("Error: "):
                    self.host.progress.say(text)
        if not block:
            self.host.selector.unregister(self.stream)
            self.stream.close()


class Progress:
    """A line that says how far all commands are."""

    def __init__(self, shown: bool) -> None:
        self.shown = shown
        self.counts: dict[int, tuple[str, int, int]] = {}
        self.line = ""

    def take(self, number: int, text: str) -> bool:
        """Takes a line of progress, a JSON object. False for any other line."""
        try:
            report = json.loads(text)
            stage, _, _ = self.counts[number] = report["stage"], report["done"], report["total"]
        except (ValueError, KeyError, TypeError):
            return False
        own = [(done, total) for name, done, total in self.counts.values() if name == stage]
        line = f"{stage}: {sum(done for done, _ in own)} of {sum(total for _, total in own)}"
        if self.shown:
            print("\r" + line.ljust(len(self.line)), end="", file=sys.stderr, flush=True)
        self.line = line
        return True

    def say(self, text: str) -> None:
        if self.shown:
            print(("\r" if self.line else "") + text.ljust(len(self.line)), file=sys.stderr, flush=True)
            self.line = ""

    def end(self) -> None:
        if self.shown and self.line:
            print(file=sys.stderr)
