#!/usr/bin/env python3
"""Checks command blocks, links and file names of README and articles.

usage: scripts/checks/docs.py [--earshot PROGRAM] [FILE...]

Every line `earshot …` of a block marked sh must name a subcommand and flags that its help has, and every line `scripts/…` a
file. A block after a line `<!-- example: … -->` is checked in that way only. All others run in a scratch folder that holds
three songs made by a formula; a block marked text after it must be their output, but for numbers.

Every link must lead to a file. Every name in backticks that begins with a folder of the package, or ends like a source file, must
be one of a file. A word in capitals stands for any name.

Every note of Experiments.md must begin with its date, its engine and either commands that repeat it or why nothing does.
"""
import argparse, functools, glob, math, os, pty, random, re, shlex, struct, subprocess, sys, tempfile, wave

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = (".swift", ".py", ".sh", ".c", ".h", ".js", ".mustache")
WRITTEN = ("Reports/runs", "Reports/audits", "Reports/ledger.jsonl")  # what commands make
BLOCK = re.compile(r"(?P<mark><!-- example:[^\n]*-->\n)?```sh\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```)?", re.S)
NOTE = re.compile(r"\*[\d-]{10}( to [\d-]{10})?, engine \d+\.\d+( to \d+\.\d+)?\. (Cannot be repeated: [^:`]+|"
                  r"Repeat[^:`]*:\s(at commit `[0-9a-f]{8}`,\s)?`(?P<command>[^`]+)`)\.\*\n\n")


def song(path, seed, seconds=20, rate=11025):
    """Writes a song of random notes with decaying overtones."""
    notes, samples = random.Random(seed), [0.0] * (seconds * rate)
    for _ in range(3):
        start = 0.0
        while start < seconds - 1:
            pitch = 110 * 2 ** ((notes.choice([0, 2, 3, 5, 7, 8, 10]) + 12 * notes.randrange(1, 4)) / 12)
            length = notes.choice([0.125, 0.25, 0.5])
            frames = int(length * 1.6 * rate)
            for place in range(frames):
                angle = 2 * math.pi * pitch * place / rate
                tone = math.sin(angle) + 0.5 * math.sin(2 * angle) + 0.3 * math.sin(3 * angle)
                samples[int(start * rate) + place] += 4000 * math.exp(-4 * place / frames) * tone
            start += length
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, len(samples), "NONE", None))
        file.writeframes(struct.pack(f"<{len(samples)}h", *(max(-32767, min(32767, int(x))) for x in samples)))


@functools.cache
def tree():
    """The files and folders of the package."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name != ".git" and not name.startswith(".build")]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in folders + files]
    return found


def lost_files(path, text):
    """The line and name of each file that text names and the package lacks."""
    text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S)
    tops = {name for name in tree() if os.sep not in name}
    for match in re.finditer(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)|`([\w.+/-]+)`", text):
        link, name = match.groups()
        if link:
            is_lost = not os.path.exists(os.path.join(os.path.dirname(path), link))
        elif name.partition("/")[0] in tops and "/" in name or name.endswith(SOURCES):
            pattern = re.sub(r"\b[A-Z]{2,}\b", ".*", re.escape(name.rstrip("/")))
            is_lost = not name.startswith(WRITTEN) and not any(re.search(rf"(^|/){pattern}$", file) for file in tree())
        else:
            continue
        if is_lost:
            yield text[:match.start()].count("\n") + 1, link or name


@functools.cache
def help_text(program, words):
    found = subprocess.run([program, *words, "--help"], capture_output=True, text=True)
    return found.stdout if found.returncode == 0 else ""


def subcommands(text):
    return re.findall(r"^  ([a-z][a-z-]*)(?: \(default\))?(?:  |$)", text.partition("SUBCOMMANDS")[2], re.M)


def mistakes(program, code):
    """What is wrong with the commands of a block."""
    for line in code.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
        lexer.whitespace_split = True
        commands = [[]]
        for word in lexer:
            if word and set(word) <= set(";&|"):
                commands.append([])
            else:
                commands[-1].append(word)
        for command in commands:
            if command and command[0].startswith("scripts/") and not os.path.exists(os.path.join(ROOT, command[0])):
                yield f"{command[0]}: no such script"
            if not command or command[0] != "earshot":
                continue
            words, path = command[1:], ()
            while words and words[0] in subcommands(help_text(program, path)):
                path += (words.pop(0),)
            text = help_text(program, path)
            if not path and words[:1] != ["--help"]:
                yield f"earshot {' '.join(words[:1])}: no such subcommand"
            for word in words:
                flag = word.partition("=")[0]
                is_flag = re.fullmatch(r"--?[A-Za-z][A-Za-z-]*", flag)
                if is_flag and not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text):
                    yield f"earshot {' '.join(path)}: no option {flag}"


def wrong_notes(program, text):
    """The line of each note without date, engine and command or reason, and of each command that names what there is not."""
    with open(os.path.join(ROOT, "Sources/MatcherAdapters/EngineSetting.swift"), encoding="utf-8") as file:
        settings = re.findall(r'"(\w+\.\w+)"', file.read())
    for heading in re.finditer(r"^### .*\n\n", text, re.M):
        form = NOTE.match(text, heading.end())
        command = form and form["command"] or ""
        plans, chosen = (re.findall(rf"--{option} ([^\s=]+)", command) for option in ("plan", "set"))
        found = [] if form else ["a note begins with its date, its engine, and the command that repeats it or why none does"]
        found += [f"no plan {name}" for name in plans if not os.path.exists(os.path.join(ROOT, "Corpora/Plans", name + ".yaml"))]
        found += [f"no setting {name}" for name in chosen if name not in settings]
        yield from ((text[:heading.start()].count("\n") + 1, mistake) for mistake in found + list(mistakes(program, command)))


def masked(text):
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", text).strip()


def run(program, code, expected, folder):
    """Why a block fails in the scratch folder, or nothing."""
    path = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    # Articles show what a terminal shows.
    screen, terminal = pty.openpty()
    with tempfile.TemporaryFile("w+") as errors:
        command = subprocess.Popen(["sh", "-ec", code], cwd=folder, stdin=subprocess.DEVNULL, stdout=terminal, stderr=errors, env=environment)
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(screen, 65536)
            except OSError:
                break  # Linux ends a closed terminal so.
            if not part:
                break
            shown += part
        os.close(screen)
        status = command.wait()
        errors.seek(0)
        complaint = errors.read()
    output = shown.decode(errors="replace").replace("\r\n", "\n")
    if status != 0:
        yield f"exit code {status}: {complaint.strip()[-300:]}"
    elif expected and masked(output) != masked(expected):
        yield f"prints\n{output}instead of\n{expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--earshot", default=os.environ.get("EARSHOT_BINARY", os.path.join(ROOT, ".build/release/earshot")))
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    program = os.path.abspath(options.earshot)
    patterns = ("*.md", "scripts/**/*.md", "Corpora/**/*.md", "Reports/*.md", "Sources/*/*.docc/*.md")
    files = options.files or sorted(
        {path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)})
    counts = {"checked": 0, "run": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "music"))
        for name in ("Milonga", "Tango", "Vals"):
            song(os.path.join(folder, "music", name + ".wav"), name)
        for path in files:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            # The changelog also names what was removed.
            for line, name in lost_files(path, text) if not path.endswith("CHANGELOG.md") else ():
                counts["wrong"] += 1
                print(f"{os.path.relpath(path, ROOT)}:{line}: {name}: no such file", file=sys.stderr)
            for line, mistake in wrong_notes(program, text) if path.endswith("/Experiments.md") else ():
                counts["wrong"] += 1
                print(f"{os.path.relpath(path, ROOT)}:{line}: {mistake}", file=sys.stderr)
            for block in BLOCK.finditer(text):
                found = list(mistakes(program, block["code"]))
                if not block["mark"] and not found:
                    found += run(program, block["code"], block["output"], folder)
                counts["checked" if block["mark"] else "run"] += 1
                counts["wrong"] += bool(found)
                for mistake in found:
                    print(f"{os.path.relpath(path, ROOT)}:{text[:block.start()].count(chr(10)) + 1}: {mistake}", file=sys.stderr)
    print(f"{counts['run']} blocks run, {counts['checked']} checked, {counts['wrong']} wrong")
    sys.exit(counts["wrong"] > 0)


main()
