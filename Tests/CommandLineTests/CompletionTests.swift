import Foundation
import TestSupport
import Testing

/// The completions of each shell, typed in a terminal.
@Suite struct CompletionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["bin", "zsh", "work/Reports/baselines", "work/run-one"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
        }
        for name in ["c.earcatalog", "c.earlier", "query.wav", "run-two", "Reports/baselines/accuracy.json"] {
            try write("", to: "work/" + name)
        }
        // Completions are those of the program, but a command line that is entered is only printed.
        try write(
            """
            #!/bin/sh
            case "$1" in ---*) exec "$EARSHOT" "$@" ;; esac
            echo "ENTERED $*."
            """, to: "bin/earshot")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/earshot"))
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    private static func isInstalled(_ shell: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + shell) || VirtualMicrophone.isRequired
    }

    private static let lines = [
        ("evalu", "evaluate"), ("evaluate --plan sm", "evaluate --plan smoke"),
        ("corpus fetch games-s", "corpus fetch games-small"),
        ("evaluate --set decision.thr", "evaluate --set decision.threshold="),
        ("gate x --baseline acc", "gate x --baseline accuracy"),
        ("match --catalog c.ear", "match --catalog c.earcatalog"),
        ("signature -i quer", "signature -i query.wav"), ("report run-", "report run-one"),
        ("cache clear que", "cache clear queries"),
    ]

    /// Types each line and the tabulator key.
    private func complete(_ shell: String, _ arguments: [String], prepare: (_ script: String) throws -> Void)
        throws
    {
        let script = try EarshotProcess("--generate-completion-script", shell)
        try #require(script.status == 0)
        try prepare(script.output)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let terminal = try PseudoTerminal(
            ["/usr/bin/" + shell] + arguments, in: folder.file("work"),
            environment: EarshotProcess.projectCorpora.merging([
                "PATH": "\(folder.path)/bin:\(path)", "HOME": folder.path, "ZDOTDIR": folder.file("zsh"),
            ]) { $1 })
        try terminal.wait { $0.contains("READY> ") }
        for (number, (typed, wanted)) in Self.lines.enumerated() {
            terminal.type("earshot \(typed)\t")
            terminal.type("\r")
            let entered = /ENTERED (.*)\.\n/
            try terminal.wait { $0.matches(of: entered).count > number }
            let line = terminal.text.matches(of: entered)[number].1
            #expect(line == wanted || line == wanted + "/", "\(shell): \(typed)")
        }
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed")) func bash() throws {
        try complete("bash", ["--noprofile", "--rcfile", folder.file("bashrc"), "-i"]) { script in
            try write("PS1='READY> '\n" + script, to: "bashrc")
        }
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed")) func zsh() throws {
        try complete("zsh", ["-d", "-i"]) { script in
            try write(script, to: "zsh/_earshot")
            try write(
                """
                PROMPT='READY> '
                fpath=("$ZDOTDIR" $fpath)
                autoload -U compinit
                compinit -u -d "$ZDOTDIR/dump"
                """, to: "zsh/.zshrc")
        }
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed")) func fish() throws {
        try complete("fish", ["--no-config", "-i", "-C", "source \(folder.file("init.fish"))"]) { script in
            try write(
                "function fish_greeting; end\nfunction fish_prompt; echo -n 'READY> '; end\n" + script,
                to: "init.fish")
        }
    }
}
