import AudioIO
import Corpora
import Degradations
import Foundation
import Matchers
import SystemIO

/// Where figures come from, for judging and repeating them: on every page and in every baseline.
public struct Provenance: Codable, Hashable, Sendable {
    package var matcher: RunFacts.Contestant
    /// The name of the plan, for example `standard`; empty if there is none.
    public var planName: String
    /// SHA-256 of the plan's content, in hexadecimal.
    public var planDigest: String
    /// The path of the plan file, as it was given.
    public var planPath: String
    /// The digest of plan, corpus, half and seed, without the shift of the queries' starts.
    ///
    /// Runs of one panel can be compared trial by trial.
    public var panelDigest: String
    /// What the user asked for; it opens the same plan again.
    public var request: RunRequest
    /// The name of the corpus, for example `games`.
    public var corpusName: String
    /// SHA-256 of the corpus lock, in hexadecimal.
    public var corpusDigest: String
    /// The half of the references from which positives were cut.
    public var half: CorpusHalf
    /// The seed from which everything random was drawn.
    public var seed: UInt64
    /// Remarks for the reader of the figures.
    public var notes: [String]
    /// The commit of the working folder, with a trailing `+` if its files were changed since.
    ///
    /// The running program may have been built from another one; ``executableDigest`` says which program it is.
    public var commit: String
    /// SHA-256 of the running program, in hexadecimal; nil if it does not matter.
    package var executableDigest: String?
    package var machine: RunFacts.Machine
    /// Versions by name of the tools that affect samples, such as `swift`, `libsndfile` and `ffmpeg`.
    public var toolVersions: [String: String]
    /// The start in ISO 8601 with a time zone.
    public var startedAt: String
    /// The number of answers taken from the cache; nil if unknown.
    package var cachedAnswers: Int?
    /// The commits of the runs that put these answers into the cache, sorted; nil if there are none.
    package var cacheCommits: [String]?

    /// Describes a measurement; one that begins now, on this machine, unless told otherwise.
    package init(
        matcher: RunFacts.Contestant, planName: String = "", planDigest: String = "", planPath: String = "",
        request: RunRequest, corpusName: String, corpusDigest: String, half: CorpusHalf, seed: UInt64,
        notes: [String] = [], commit: String = Self.currentCommit, machine: RunFacts.Machine = .current,
        toolVersions: [String: String] = Self.currentVersions,
        startedAt: String = Date().formatted(.iso8601)
    ) {
        self.matcher = matcher
        self.planName = planName
        self.planDigest = planDigest
        self.planPath = planPath
        panelDigest = planDigest
        self.request = request
        self.corpusName = corpusName
        self.corpusDigest = corpusDigest
        self.half = half
        self.seed = seed
        self.notes = notes
        self.commit = commit
        executableDigest = Self.currentExecutableDigest
        self.machine = machine
        self.toolVersions = toolVersions
        self.startedAt = startedAt
    }

    /// Describes a measurement on a plan that begins now.
    package init(
        _ matcher: RunFacts.Contestant, on plan: Plan, request: RunRequest, notes: [String] = []
    ) {
        self.init(
            matcher: matcher, planName: plan.file.name, planDigest: plan.digest, planPath: plan.file.path,
            request: request, corpusName: plan.corpus.name, corpusDigest: plan.corpus.lockDigest,
            half: plan.half, seed: plan.seed, notes: notes)
        panelDigest = plan.panelDigest
    }

    /// The provenance without time, place and cache: equal runs have equal ones.
    ///
    /// Plan, corpus, matcher, commit and libraries stay, because samples and answers depend on them.
    public var withoutCircumstances: Provenance {
        var provenance = self
        provenance.planPath = planPath.split(separator: "/").last.map(String.init) ?? ""
        provenance.machine = RunFacts.Machine(
            processor: "", logicalCores: 0, memoryBytes: 0, operatingSystem: "", kernel: "")
        provenance.startedAt = ""
        provenance.cachedAnswers = nil
        provenance.cacheCommits = nil
        // One commit may give other programs in other folders.
        provenance.executableDigest = nil
        provenance.matcher.codeDigest = nil
        return provenance
    }
}

extension RunFacts.Contestant {
    /// Describes an instance of `contestant`, with its answers to fixed queries.
    ///
    /// - Parameter usesCache: Whether the digest of these answers may come from the cache.
    package init(_ contestant: Matchers.Contestant, usesCache: Bool = true) throws {
        try self.init(
            contestant, digest: contestant.answersDigest(keptIn: usesCache ? KeptDigest.standardFolder : nil))
        codeDigest = contestant.codeDigest
    }

    /// Describes an instance of `contestant` whose digest of answers is known.
    package init(_ contestant: Matchers.Contestant, digest: String) throws {
        let matcher = try contestant.make()
        self.init(name: matcher.name, version: matcher.version, settings: matcher.settings, digest: digest)
    }
}

extension RunFacts.Machine {
    package static var current: RunFacts.Machine {
        RunFacts.Machine(
            processor: Provenance.field("model name", of: "/proc/cpuinfo", separator: ":") ?? "unknown",
            logicalCores: ProcessInfo.processInfo.processorCount,
            memoryBytes: Int(ProcessInfo.processInfo.physicalMemory),
            operatingSystem: Provenance.field("PRETTY_NAME", of: "/etc/os-release", separator: "=")?
                .trimmingCharacters(in: CharacterSet(charactersIn: "\"")) ?? "unknown",
            kernel: (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown",
            revision: revision, features: features)
    }

    /// Machines with the same model name may differ in these fields.
    private static var revision: String? {
        let names = ["vendor_id", "cpu family", "model", "stepping"]
        let parts = names.map { Provenance.field($0, of: "/proc/cpuinfo", separator: ":") }
        return parts.contains(nil) ? nil : parts.compactMap(\.self).joined(separator: " ")
    }

    /// All features on ARM; on x86 the flags of arithmetic instruction sets.
    private static var features: [String]? {
        if let names = Provenance.field("Features", of: "/proc/cpuinfo", separator: ":") {
            return names.split(separator: " ").map(String.init).sorted()
        }
        let sets = [
            "sse", "ssse", "avx", "fma", "f16c", "bmi", "abm", "popcnt", "movbe", "adx", "amx", "3dnow",
        ]
        return Provenance.field("flags", of: "/proc/cpuinfo", separator: ":").map { flags in
            flags.split(separator: " ").filter { flag in sets.contains { flag.hasPrefix($0) } }
                .map(String.init).sorted()
        }
    }
}

extension Provenance {
    /// The versions of this process's libraries and tools.
    public static var currentVersions: [String: String] {
        var tools = DegradationLibraries.versions
        tools["swift"] = swiftVersion
        tools["ffmpeg"] = AudioLibraryVersions.ffmpeg ?? "not installed"
        return tools
    }

    private static var swiftVersion: String {
        #if swift(>=6.4)
            "6.4 or later"
        #elseif swift(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// The lines of the output of git; none if it cannot be run or fails.
    private static func git(_ arguments: [String], environment: [String] = []) -> [String] {
        let process = try? ChildProcess.run(
            "git", arguments, environment: environment, timeoutSeconds: 300, maximumOutputBytes: 1 << 20)
        guard let process, process.end == .exited(0) else { return [] }
        return String(decoding: process.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// SHA-256 of the running program, in hexadecimal.
    public static var currentExecutableDigest: String? {
        FileContents.sha256(of: Matchers.Contestant.ownProgram)
    }

    /// The commit of the working folder, with a trailing `+` if files differ from it.
    public static var currentCommit: String { commit(of: ".") }

    /// The commit of the repository around `folder`, with a trailing `+` if files differ from it.
    ///
    /// Hooks, monitors and filters of the repository are off, because its settings must not start programs. The user's
    /// own filters stay.
    package static func commit(of folder: String) -> String {
        let pattern = #"^filter\..*\.(clean|process|required)$"#
        let query = ["-C", folder, "config", "--show-scope", "--name-only", "--get-regexp", pattern]
        var settings = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")]
        for line in git(query) {
            // The scope, a tab and the name.
            let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
            if parts.count == 2, ["local", "worktree"].contains(parts[0]) { settings.append((parts[1], "")) }
        }
        let environment =
            ["GIT_CONFIG_COUNT=\(settings.count)"]
            + settings.enumerated().flatMap { place, setting in
                ["GIT_CONFIG_KEY_\(place)=\(setting.0)", "GIT_CONFIG_VALUE_\(place)=\(setting.1)"]
            }
        let describe = ["describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
        return git(["-C", folder, "--no-optional-locks"] + describe, environment: environment).first
            ?? "none"
    }

    /// The text after `separator` on the first line of a file whose key is `name`.
    package static func field(_ name: String, of path: String, separator: Character) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let mark = line.firstIndex(of: separator),
                line[..<mark].trimmingCharacters(in: .whitespaces) == name
            else { continue }
            return line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}
