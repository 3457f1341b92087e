import SystemIO

/// Other words for subcommands and options: those of other programs, and those of earlier versions.
enum Synonyms {
    /// What is meant, and the words that people try first.
    private static let meanings: KeyValuePairs = [
        "match": "recognize recognise identify search lookup query find detect",
        "custom-catalog": "catalog index enroll enrol ingest build database",
        "signature": "fingerprint hash", "serve": "server host http daemon",
        "listen": "live microphone monitor stream",
        "evaluate": "eval benchmark bench measure run test judge", "compare": "diff versus",
        "gate": "ci verdict assert", "report": "html page render", "intros": "episodes skip",
        "degrade": "noise augment distort corrupt", "minimise": "minimize shrink reduce",
        "tune": "optimize optimise", "corpus": "dataset data", "passages": "broadcast playlist",
        "create": "new make init build", "update": "add append insert", "remove": "delete rm",
        "display": "list show ls info print", "list": "show ls display", "verify": "validate fsck",
        "check": "verify validate test", "upgrade": "convert migrate", "merge": "join combine",
        "clear": "clean purge delete remove",
        "address": "port bind listen url interface", "catalog": "catalogue database db index input",
        "output": "out dest destination outdir output-dir output-folder directory",
        "jobs": "threads workers cores parallel",
        "time-limit-seconds": "timeout seconds", "minimum-seconds": "min-seconds min-duration duration",
        "minimum-score": "min-score threshold score", "length": "duration seconds", "hours": "duration",
        "memory-limit-gigabytes": "memory ram", "matcher-command": "command cmd program exec",
        "set": "setting option param", "folder": "input dir directory music path", "raw": "pcm stdin",
        "rate": "sample-rate samplerate sr", "microphone": "mic source input device",
        "signature-asset": "input files audio", "input": "file files audio", "episodes": "input files folder",
        "format": "output-format type", "json": "jsonl", "force": "overwrite yes", "replace": "overwrite",
        "dry-run": "estimate simulate", "fresh": "restart clean no-resume", "baseline": "reference against",
        "count": "limit number n max", "candidates": "trials limit", "tokens": "token auth password",
    ]

    /// The names that options had, by command; they are still read, and shown nowhere.
    static let earlierNames = [
        "listen": ["--device": "--microphone"], "passages": ["--make": "--export"],
        "corpus audit": ["--memory": "--memory-limit-gigabytes"],
    ]

    /// The name that a word means or nearly spells; nil where none is likely.
    static func nearest(_ names: [String], to word: String) -> String? {
        let meant = meanings.first {
            names.contains($0.key) && $0.value.split(separator: " ").contains(Substring(word.lowercased()))
        }
        return meant?.key ?? names.nearest(to: word)
    }
}
