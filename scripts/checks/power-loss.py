#!/usr/bin/env python3
"""Shows that a power failure at any moment loses nothing that was acknowledged.

usage: scripts/checks/power-loss.py [--points N] [KIND...]     500 points; all kinds, or those named: catalog, store, upgrade, library

Runs the program under strace, and replays what it wrote up to a point into a new folder as four disks would have it:

  strict     neither data nor names that were not synchronised
  names      all names, but only synchronised data
  torn       any part of what was not synchronised
  all        everything, as after a kill

Each must have what was acknowledged before the point, and open. Prints a table of kinds: points, states that lost something,
and states that do not open. The exit code is 1 if there is any. Needs strace. EARSHOT_BINARY is the program,
.build/release/earshot by default.
"""
import base64, collections, hashlib, json, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

from harness import EARSHOT, GOLDEN, Bench, ask, song, wav, write_first_manifest

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

PAGE = 4096
CALLS = ("openat,close,dup,dup2,dup3,fcntl,lseek,read,write,writev,pwrite64,sendto,sendmsg,ftruncate,fsync,fdatasync,rename,"
         "renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,rmdir")


# What a process did

Call = collections.namedtuple("Call", "name arguments result isStart")


def calls(path):
    """The system calls of a trace by their ends. Those that take time are there twice, first by their starts."""
    waiting = {}
    with open(path, errors="replace") as file:
        for line in file:
            process, _, text = line.rstrip("\n").partition(" ")
            text = text.lstrip()
            if text.endswith("<unfinished ...>"):
                waiting[process] = text[:-len("<unfinished ...>")]
                yield from parsed(waiting[process], True)
                continue
            resumed = re.match(r"<\.\.\. \w+ resumed>", text)
            if resumed:
                text = waiting.pop(process, "") + text[resumed.end():]
            else:
                yield from parsed(text, True)
            yield from parsed(text, False)


def parsed(text, is_start):
    found = re.match(r"(\w+)\((.*?)(?:\)\s+= (-?\d+).*)?$", text, re.S)
    if not found:
        return
    result = found[3]
    if not is_start and (result is None or int(result) < 0):
        return
    yield Call(found[1], found[2], None if result is None else int(result), is_start)


def strings(arguments):
    return [bytes.fromhex(text.replace("\\x", "")) for text in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)]


def number(arguments, place):
    """The argument at a place that counts from the end if it is negative."""
    return int(re.sub(r'"[^"]*"|\[.*?\]', "", arguments).split(", ")[place].strip())


# What a disk has of it

class Node:
    """A file or a folder: what it holds, what of it is on the disk, and the changes in between."""

    def __init__(self, is_folder=False):
        self.is_folder = is_folder
        self.now, self.synced = ({}, {}) if is_folder else (bytearray(), b"")
        self.changes = []

    def write(self, place, data):
        self.apply(self.now, (place, data))
        self.changes.append((place, data))

    def truncate(self, length):
        self.apply(self.now, (length, None))
        self.changes.append((length, None))

    @staticmethod
    def apply(bytes_, change):
        place, data = change
        if len(bytes_) < place:
            bytes_.extend(bytes(place - len(bytes_)))
        if data is None:
            del bytes_[place:]
        else:
            bytes_[place:place + len(data)] = data


class Disk:
    """The files below a folder, as the calls of processes change them, one process at a time."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.top = self.load(self.root)
        self.names = []    # changes of names that are not on the disk, in order: [(folder, name, node or None)...]
        self.begin_process()

    def begin_process(self):
        self.open, self.syncing = {}, {}

    def load(self, path):
        if not os.path.isdir(path):
            node = Node()
            node.synced = pathlib.Path(path).read_bytes()
            node.now = bytearray(node.synced)
            return node
        node = Node(True)
        for name in os.listdir(path):
            node.now[name] = self.load(f"{path}/{name}")
        node.synced = dict(node.now)
        return node

    def place(self, path, folder=None):
        """The folder node and the name of a path; None outside."""
        path = os.path.normpath(os.path.join(folder or self.root, os.fsdecode(path)))
        if path == self.root:
            return None, ""
        if not path.startswith(self.root + "/"):
            return None
        node, *names = self.top, *path[len(self.root) + 1:].split("/")
        for name in names[:-1]:
            node = node.now.get(name)
            if node is None or not node.is_folder:
                return None
        return node, names[-1]

    def node(self, path):
        place = self.place(path)
        return self.top if place == (None, "") else place and place[0].now.get(place[1])

    def rename(self, *changes):
        for folder, name, node in changes:
            if node is None:
                folder.now.pop(name, None)
            else:
                folder.now[name] = node
        self.names.append(changes)

    def sync(self, node, changes):
        if node.is_folder:
            for group in [group for group in self.names if any(folder is node for folder, _, _ in group)]:
                self.names.remove(group)
                for folder, name, other in group:
                    folder.synced.pop(name, None)
                    if other is not None:
                        folder.synced[name] = other
        else:
            data = bytearray(node.synced)
            for change in node.changes[:changes]:
                Node.apply(data, change)
            node.synced = bytes(data)
            del node.changes[:changes]

    def take(self, call):
        """Applies a call; gives the answer that it sent, if it is one."""
        name, arguments, result, is_start = call
        if name in ("fsync", "fdatasync"):
            file = self.open.get(number(arguments, 0))
            if file and is_start:
                # What is written while it works may not be on the disk.
                self.syncing.setdefault(id(file[0]), []).append(len(file[0].changes))
            elif file:
                self.sync(file[0], self.syncing[id(file[0])].pop(0))
            return None
        if name in ("write", "writev", "sendto", "sendmsg") and number(arguments.split(",")[0], 0) not in self.open:
            # It may have arrived before the call has ended.
            data = b"".join(strings(arguments)) if is_start else b""
            return data[9:12].decode() if data.startswith(b"HTTP/1.1 ") else None
        if name == "close" and is_start:
            # Another thread may get the number before the call has ended.
            self.open.pop(number(arguments, 0), None)
        if is_start:
            return None
        if name == "openat":
            self.opened(arguments, result)
        elif name in ("dup", "dup2", "dup3") or name == "fcntl" and "F_DUPFD" in arguments:
            self.open.pop(result, None)
            if number(arguments, 0) in self.open:
                self.open[result] = self.open[number(arguments, 0)]
        elif name in ("lseek", "read", "write", "writev", "pwrite64", "ftruncate"):
            file = self.open.get(number(arguments.split(",")[0], 0))
            if file and not file[0].is_folder:
                self.changed(file, name, arguments, result)
        elif name in ("rename", "renameat", "renameat2", "link", "linkat"):
            source, target = strings(arguments)
            there = self.place(target)
            if source.startswith(b"/proc/self/fd/"):
                self.rename((*there, self.open[int(source[14:])][0])) if there else None
                return None
            here = self.place(source)
            if not here or not there:
                return None
            moved = [(*here, None)] if name.startswith("rename") else []
            self.rename(*moved, (*there, here[0].now[here[1]]))
        elif name in ("unlink", "unlinkat", "rmdir"):
            here = self.place(strings(arguments)[0])
            if here and here[0]:
                self.rename((*here, None))
        elif name == "mkdir":
            here = self.place(strings(arguments)[0])
            if here and here[0]:
                self.rename((*here, Node(True)))
        return None

    def opened(self, arguments, result):
        self.open.pop(result, None)
        path = strings(arguments)[0]
        if not arguments.startswith("AT_FDCWD"):
            return
        if "O_TMPFILE" in arguments:
            if self.place(path) is not None:
                self.open[result] = [Node(), 0, False]
            return
        node, here = self.node(path), self.place(path)
        if node is None and here and here[0] and "O_CREAT" in arguments:
            node = Node()
            self.rename((*here, node))
        if node is None:
            return
        if "O_TRUNC" in arguments and not node.is_folder and node.now:
            node.truncate(0)
        self.open[result] = [node, 0, "O_APPEND" in arguments]

    def changed(self, file, name, arguments, result):
        node, place, appends = file
        if name == "ftruncate":
            return node.truncate(number(arguments, 1))
        if name == "lseek":
            file[1] = result
        elif name == "read":
            file[1] += result
        elif name == "pwrite64":
            node.write(number(arguments, -1), strings(arguments)[0][:result])
        else:
            place = len(node.now) if appends else place
            node.write(place, b"".join(strings(arguments))[:result])
            file[1] = place + result

    # What is there after a power failure

    def put(self, folder, kind, choose):
        """Writes what a disk of a kind has into a folder."""
        lost = {"strict": len(self.names), "torn": choose.randint(0, len(self.names))}.get(kind, 0)
        names = self.names[:len(self.names) - lost]
        trees = {}
        def tree(node):
            return trees.setdefault(id(node), dict(node.synced))
        for group in names:
            for parent, name, node in group:
                tree(parent).pop(name, None)
                if node is not None:
                    tree(parent)[name] = node
        self.put_folder(self.top, pathlib.Path(folder), tree, kind, choose)

    def put_folder(self, node, path, tree, kind, choose):
        path.mkdir(exist_ok=True)
        for name, child in tree(node).items():
            if child.is_folder:
                self.put_folder(child, path / name, tree, kind, choose)
            else:
                (path / name).write_bytes(self.contents(child, kind, choose))

    @staticmethod
    def contents(node, kind, choose):
        if kind == "all":
            return bytes(node.now)
        data = bytearray(node.synced)
        for place, more in node.changes:
            if kind == "names" and more is None:
                Node.apply(data, (place, None))
            elif kind == "torn" and more is None and choose.random() < 0.5:
                Node.apply(data, (place, None))
            elif kind == "torn" and more is not None:
                for start in range(0, len(more), PAGE):
                    if choose.random() < 0.5:
                        Node.apply(data, (place + start, more[start:start + PAGE]))
        return bytes(data)


DISKS = ["strict", "names", "torn", "all"]


class NotOpened(Exception):
    pass


class Lost(Exception):
    pass


PLACE = """
import os, sys
part = sys.argv[2] + ".part"
file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(file, open(sys.argv[1], "rb").read())
os.fsync(file)
os.rename(part, sys.argv[2])
os.fsync(os.open(os.path.dirname(sys.argv[2]) or ".", os.O_RDONLY))
"""


# The kinds: what is run, and what must be there

class Kind(Bench):
    """Steps of which each runs a process in the folder `disk`, and the check of a folder after some of them."""

    def __init__(self, folder, prepared):
        super().__init__(folder)
        self.prepared = prepared
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.environment["XDG_DATA_HOME"] = str(self.disk)
        self.traces = 0

    def traced(self, words, program=EARSHOT):
        self.traces += 1
        path = self.folder / f"trace{self.traces}"
        return path, ["strace", "-f", "-qq", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-e", "signal=none",
                      "-o", str(path), program, *map(str, words)]

    def place(self, path, name):
        """Puts a file on the disk, with its bytes and its name synchronised."""
        return self.command("-c", PLACE, path, name, program=sys.executable)

    def command(self, *words, program=EARSHOT):
        """Runs a command to its end, which acknowledges it."""
        path, traced = self.traced(words, program)
        done = subprocess.run(traced, cwd=self.disk, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True)
        assert done.returncode == 0, f"{words}: {done.stderr.decode()[-500:]}"
        return path

    def earshot(self, folder, *words):
        return subprocess.run([EARSHOT, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=dict(self.environment, XDG_DATA_HOME=str(folder)))


class Catalog(Kind):
    """Catalog files: after each command its outputs, byte for byte."""

    share = 0.35

    def __init__(self, folder, prepared):
        super().__init__(folder, prepared)
        (self.disk / "new").mkdir()

    def steps(self):
        a, b, c, q = (self.prepared / f"{name}.earsignature" for name in "abcq")
        yield self.command("custom-catalog", "create", "-s", a, b, "-o", "one")
        yield self.command("custom-catalog", "update", "one", "-s", q)
        yield self.command("custom-catalog", "create", "-s", c, "-o", "new/two")
        yield self.command("custom-catalog", "merge", "one", "new/two", "-o", "one")
        yield self.command("custom-catalog", "remove", "one", "-s", "a")
        yield self.command("custom-catalog", "update", "one", "-s", a, "-o", "new/three")
        yield self.command("custom-catalog", "create", "-s", b, q, "-o", "new/two")
        yield self.command("custom-catalog", "update", "new/two", "-s", q, "--replace")
        for old in [*sorted(GOLDEN.glob("*.earcatalog")), GOLDEN / "standard-3.earsignature"]:
            yield self.place(old, old.name)
            yield self.command("custom-catalog", "upgrade", old.name)

    def state(self):
        return self.files(self.disk)

    @staticmethod
    def files(folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and not path.name.endswith(".part")}

    def check(self, folder, states):
        there = self.files(folder)
        for name in sorted(set(there) | set(states[0])):
            if there.get(name) not in [state.get(name) for state in states]:
                raise Lost(f"{name} is " + ("neither the old nor the new one" if name in there else "gone"))


class Upgrade(Kind):
    """A store of release 0.1.0: the references in it before and after it is upgraded."""

    share = 0.15

    def __init__(self, folder, prepared):
        super().__init__(folder, prepared)
        (self.disk / "store").mkdir()
        write_first_manifest(self.folder / "manifest.sqlite", {1: [0], 2: [1, 2]})

    def steps(self):
        for number in (1, 2):
            yield self.place(GOLDEN / "catalog-4.earcatalog", f"store/segment-{number}.earcatalog")
        yield self.place(self.folder / "manifest.sqlite", "store/manifest.sqlite")
        yield self.command("store", "repair", "store")

    def state(self):
        return self.count(self.disk)

    def count(self, folder):
        if not (folder / "store/manifest.sqlite").exists():
            return 0
        # A look must not change the files that are traced.
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            done = self.earshot(copy, "store", "check", "--json", "store")
        if done.returncode != 0:
            raise NotOpened((done.stdout + done.stderr)[-500:])
        return sum(part["references"] for part in json.loads(done.stdout)["parts"])

    def check(self, folder, states):
        there = self.count(folder)
        if there not in states:
            raise Lost(f"{there} references, expected one of {states}")


class Library(Kind):
    """The library: its list after each command."""

    share = 0.25

    def steps(self):
        for step in range(12):
            yield self.command("library", "add", str(70 + step), "--title", f"T{step}")
            if step % 3 == 2:
                yield self.command("library", "remove", str(70 + step - 1))

    def state(self):
        return self.list(self.disk)

    def list(self, folder):
        # The list of a library must not change the files that are traced.
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            done = self.earshot(copy, "library", "list")
        if done.returncode != 0:
            raise NotOpened(done.stderr[-300:])
        return done.stdout

    def check(self, folder, states):
        there = self.list(folder)
        if there not in states:
            raise Lost(f"the list is {there!r}, expected one of {states}")


class Store(Kind):
    """A server's references: the title of each after each answer."""

    share = 0.4
    TOKEN = "0123456789abcdef"

    def __init__(self, folder, prepared):
        super().__init__(folder, prepared)
        tokens = self.folder / "tokens"
        tokens.write_text(f"me match,write {self.TOKEN}\n")
        tokens.chmod(0o600)
        self.titles, self.known = {}, set()
        self.acknowledged = []

    def serve(self, folder):
        return ["serve", "--store", folder / "store", "--tokens", self.folder / "tokens", "--address", "127.0.0.1:0",
                "--requests-per-second", "0"]

    def start(self, words):
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if not line:
            raise NotOpened(process.communicate()[1][-300:])
        return process, int(line.strip().rsplit(":", 1)[1].rstrip("/"))

    def ask(self, port, method, path, body=None):
        return ask(port, method, path, body, {"Authorization": f"Bearer {self.TOKEN}"})

    def change(self, port, id, title):
        if title is None:
            status, text = self.ask(port, "DELETE", f"/v1/references/{id}")
        else:
            signature = base64.b64encode((self.prepared / "q.earsignature").read_bytes()).decode()
            item = {"properties": {"title": title, "shazamID": id}}
            status, text = self.ask(port, "PUT", f"/v1/references/{id}", json.dumps({"signature": signature, "items": [item]}))
        assert status == 200, f"{status}: {text}"
        self.titles = {**self.titles, id: title}
        self.acknowledged.append(self.titles)

    def steps(self):
        self.acknowledged.append({})
        # The second run merges files of the first one.
        for run, count in enumerate([60, 35]):
            path, words = self.traced(self.serve(self.disk))
            process, port = self.start(words)
            for step in range(count):
                self.change(port, f"r{100 * run + step}", f"T{step}")
                if step % 7 == 6:
                    self.change(port, f"r{step // 2}", f"new {step}")
                if step % 10 == 9:
                    self.change(port, f"r{100 * run + step - 3}", None)
                time.sleep(0.01)
            time.sleep(0.5)
            # A signal to strace does not reach the program.
            program, = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(program), signal.SIGTERM)
            process.communicate(timeout=120)
            yield path

    def check(self, folder, states):
        process, port = self.start([EARSHOT, *map(str, self.serve(folder))])
        try:
            for id in sorted(set().union(*states)):
                status, text = self.ask(port, "GET", f"/v1/items/{id}")
                title = json.loads(text)["properties"]["title"] if status == 200 else None
                if title not in [state.get(id) for state in states]:
                    raise Lost(f"{id} is {title}, expected {[state.get(id) for state in states]}")
        finally:
            process.kill()
            process.communicate()


def fail(kind, points, folder, prepared):
    """Runs a kind and lets the power fail at some points; gives the counts of points, losses, and states that do not open."""
    found, seen, choose = collections.Counter(), {}, random.Random(kind.__name__)
    it = kind(folder, prepared)
    disk = Disk(it.disk)
    traces, states = [], []
    answers = hasattr(it, "acknowledged")
    if not answers:
        states.append(it.state())
    for path in it.steps():
        traces.append(list(calls(path)))
        if not answers:
            states.append(it.state())
    states = it.acknowledged if answers else states
    changing = [place for place, call in enumerate(call for trace in traces for call in trace)
                if call.name not in ("close", "read", "lseek", "fcntl", "dup", "dup2", "dup3")
                and (call.name != "openat" or "O_CREAT" in call.arguments)]
    chosen = set(choose.sample(changing, min(points, len(changing))))
    place = acknowledged = 0
    for trace in traces:
        disk.begin_process()
        for call in trace:
            if disk.take(call) == "200":
                acknowledged += answers
            if place in chosen:
                check(it, disk, states[acknowledged:acknowledged + 2], place, choose, found, seen)
            place += 1
        acknowledged += not answers
    assert acknowledged == len(states) - 1, f"{acknowledged} of {len(states) - 1} changes are acknowledged in the trace"
    return found


def check(it, disk, states, place, choose, found, seen):
    kind = DISKS[found["points"] % len(DISKS)]
    found["points"] += 1
    with tempfile.TemporaryDirectory(dir=it.folder) as folder:
        folder = pathlib.Path(folder)
        disk.put(folder, kind, choose)
        digest = hashlib.sha256(repr(states).encode())
        for path in sorted(folder.rglob("*")):
            digest.update(str(path.relative_to(folder)).encode() + (path.read_bytes() if path.is_file() else b"/"))
        key = digest.digest()
        if key not in seen:
            seen[key] = None
            try:
                it.check(folder, states)
            except (Lost, NotOpened) as problem:
                seen[key] = problem
                names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*"))]
                print(f"{type(it).__name__}: call {place}, disk {kind}: {type(problem).__name__}: {problem} {names}",
                      file=sys.stderr, flush=True)
        if seen[key]:
            found[type(seen[key]).__name__] += 1


def main(words):
    points = 500
    if words[:1] == ["--points"]:
        points, words = int(words[1]), words[2:]
    kinds = [kind for kind in [Catalog, Store, Upgrade, Library] if not words or kind.__name__.lower() in words]
    began, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        prepared = Bench(pathlib.Path(folder) / "prepared")
        prepared.folder.mkdir()
        for seed, name in enumerate("abcq"):
            (prepared.folder / f"{name}.wav").write_bytes(wav(song(seed, 6)))
            prepared.run([EARSHOT, "signature", "-i", f"{name}.wav", "-o", f"{name}.earsignature"])
        whole = sum(kind.share for kind in kinds)
        for kind in kinds:
            (pathlib.Path(folder) / kind.__name__).mkdir()
            count = round(points * kind.share / whole)
            rows.append((kind.__name__.lower(), fail(kind, count, pathlib.Path(folder) / kind.__name__, prepared.folder)))
    print("| kind | points | lost | not opened |\n|---|--:|--:|--:|")
    total = sum((found for _, found in rows), collections.Counter())
    for name, found in [*rows, ("all", total)]:
        print(f"| {name} | {found['points']} | {found['Lost']} | {found['NotOpened']} |")
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if total["Lost"] + total["NotOpened"] or not total["points"] else 0)


main(sys.argv[1:])
