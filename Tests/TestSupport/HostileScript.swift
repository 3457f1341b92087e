import Foundation

/// A small external matcher in Python that misbehaves at one query.
///
/// It answers every other query with the first reference.
public struct HostileScript {
    /// The folder of the script and its notes.
    public let folder: TemporaryFolder
    /// The command line that starts it.
    public let commandLine: String

    /// Writes the script, which misbehaves in the way of `mode` at the query `number`, from 1.
    ///
    /// A file has the number of queries (of sounds for `refuse`), so that the script misbehaves only once even if it is started again.
    public init(_ mode: String, at number: Int = 2) throws {
        folder = try TemporaryFolder()
        let path = folder.file("adapter.py")
        try Self.text.write(toFile: path, atomically: true, encoding: .utf8)
        commandLine = "python3 '\(path)' \(mode) \(folder.path) \(number)"
    }

    /// The ids of processes that it has started.
    public var children: [Int32] { lines("children").compactMap { Int32($0) } }

    /// The ids and working folders of its own processes.
    public var instances: [(process: Int32, folder: String)] {
        lines("instances").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.count == 2 ? Int32(parts[0]).map { ($0, String(parts[1])) } : nil
        }
    }

    /// The names of enrolled references, in order, and again after each start.
    public var enrolled: [String] { lines("enrolled").map(String.init) }

    /// The names of its queries, in order.
    public var queries: [String] { lines("queries").map(String.init) }

    /// The names of its variables, and the command line of the judge.
    public var told: [String] { lines("told").map(String.init) }

    /// Whether it got a query.
    public var wasAsked: Bool { FileManager.default.fileExists(atPath: folder.file("count")) }

    private func lines(_ name: String) -> [Substring] {
        ((try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// Whether a process runs; a zombie does not.
    public static func isAlive(_ process: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return false }
        return !text[end...].hasPrefix(") Z")
    }

    private static let text = #"""
        import hashlib, json, os, signal, subprocess, sys, time
        mode, folder, number = sys.argv[1:4]

        def note(name, text):
            with open(folder + "/" + name, "a+") as file:
                file.write(text)
                return file.tell()

        def say(text):
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

        def child(**options):
            process = subprocess.Popen(["sleep", "1000"], **options)
            note("children", f"{process.pid}\n")

        def answer_of(reference):
            return {"id": reference, "offsetSeconds": 1, "score": 1, "queryRange": [0, 0.25], "referenceRange": [1, 1.25]}

        def misbehave(query):
            right = answer_of(first)
            def answer(**changes):
                say(json.dumps({"query": query, "answers": [right | changes]}))
            if mode == "hang": time.sleep(1000)
            if mode == "flood-output":
                while True: sys.stdout.write("x" * 65536)
            if mode == "flood-error":
                while True: sys.stderr.write("complaint " * 1000)
            if mode == "talkative-error":
                sys.stderr.write("complaint\n" * 100000); sys.stderr.flush(); answer()
            if mode == "other-query": say(json.dumps({"query": "another", "answers": [right]}))
            if mode == "garbage": say("\x1b[31m%$ no JSON at all \u202e")
            if mode == "binary": sys.stdout.buffer.write(b"\xff\xfe\x00\xff\n"); sys.stdout.flush()
            if mode == "empty-line": say("")
            if mode == "list": say("[1, 2]")
            if mode == "two-lines": answer(); answer()
            if mode == "fork":
                child(); child(start_new_session=True); child(start_new_session=True, env={}); os._exit(0)
            if mode == "fork-and-close":
                child(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); sys.exit(0)
            if mode == "fork-and-hang":
                child(); child(start_new_session=True); child(start_new_session=True, env={}); time.sleep(1000)
            if mode == "memory":
                hoard = []
                while True: hoard.append(b"x" * (16 << 20))
            if mode == "memory-of-children":
                for _ in range(4): subprocess.Popen(["python3", "-c", "x = b'x' * (96 << 20); import time; time.sleep(1000)"])
                time.sleep(1000)
            if mode == "die": sys.stderr.write("out of luck\n"); sys.exit(3)
            if mode == "signal": os.kill(os.getpid(), signal.SIGSEGV)
            if mode == "freeze":
                judge, own = os.getppid(), os.getpid()
                subprocess.Popen(
                    ["sh", "-c", f"kill -STOP {judge} {own}; sleep 8; kill -CONT {judge}; sleep 1; kill -CONT {own}"],
                    start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(0.5); answer()
            if mode.startswith("killed"): os.kill(os.getpid(), signal.SIGKILL)
            if mode.startswith("terminated"): os.kill(os.getpid(), signal.SIGTERM)
            if mode.startswith("tell"): note("told", "\n".join([*os.environ, open(f"/proc/{os.getppid()}/cmdline").read()])); answer()
            if mode == "close":
                os.close(1); time.sleep(1000)
            if mode == "nan": answer(score=float("nan"))
            if mode == "infinite": say('{"query": "%s", "answers": [{"id": "%s", "offsetSeconds": 1e999, "score": 1}]}' % (query, first))
            if mode == "percent": answer(frequencySkew=2)
            if mode == "confidence": answer(confidence=97.5)
            if mode == "unknown": answer(id="r-nobody")
            if mode == "text": answer(offsetSeconds="12.5")
            if mode == "related": answer(related=True)
            if mode == "null-position": answer(offsetSeconds=None)
            if mode == "no-position": say(json.dumps({"query": query, "answers": [{"id": first, "score": 1}]}))
            if mode == "latin-1":
                line = json.dumps({"query": query, "answers": [right], "note": "caf?"}).encode().replace(b"?", b"\xe9")
                sys.stdout.buffer.write(line + b"\n"); sys.stdout.flush()
            if mode == "twice":
                say('{"query": "%s", "answers": [{"id": "%s", "offsetSeconds": 1, "score": 1, "sc\\u006fre": 2}]}' % (query, first))
            if mode in ("error", "refuse"): say(json.dumps({"error": "cannot <b>read\u202e\n this"}))
            if mode == "eleven": say(json.dumps({"query": query, "answers": [right] * 11}))

        def misbehaves(query):
            count = note("count", ".")
            if mode != "refuse": return int(number) <= count <= int(number) + mode.endswith("-twice")
            # It counts sounds, because a judge asks again if the machine was slow. It is then refused again; the next judge is not.
            sound = hashlib.sha256(open(query, "rb").read()).hexdigest()
            note("sounds", ""), note("refusal", "")
            if sound not in open(folder + "/sounds").read() and note("sounds", sound) == len(sound) * int(number):
                note("refusal", f"{os.getppid()} {sound}")
            return open(folder + "/refusal").read() == f"{os.getppid()} {sound}"

        note("instances", f"{os.getpid()} {os.environ['EARSHOT_WORK']}\n")
        first = None
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "hello":
                hello = {"protocol": 2, "name": "hostile", "version": "1", "settings": {"a": 1, "b": True, "c": "x"}}
                if mode == "odd-name": hello["name"] = "host\x1b[31mile"
                if mode == "odd-version": hello["version"] = "1\n2"
                if mode == "odd-key": hello["settings"]["c\u202e"] = "x"
                if mode == "odd-value": hello["settings"]["c"] = "x\x07"
                say(json.dumps(hello))
            elif request["op"] == "enrol":
                note("enrolled", request["id"] + "\n")
                if mode == "killed-early": os.kill(os.getpid(), signal.SIGKILL)
                first = min(first or request["id"], request["id"])
                say('{"ok": true}')
            elif request["op"] == "ready":
                say('{"ok": true, "indexBytes": 7}')
            elif note("queries", request["query"] + "\n") and misbehaves(request["path"]):
                misbehave(request["query"])
            else:
                say(json.dumps({"query": request["query"], "answers": [answer_of(first)]}))
        if mode == "flood-at-end":
            # Several write, so that there is always something to read.
            os.fork(); os.fork()
            while True: sys.stdout.write("x" * 65536)
        """#
}
