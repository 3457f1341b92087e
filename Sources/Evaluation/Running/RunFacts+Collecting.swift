import AudioIO
import Corpora
import Degradations
import Foundation
import Matchers

extension RunFacts {
    /// The facts of a run before it begins; figures of the run itself are still 0.
    package init(
        plan: Plan, corpus: Corpus, contestant: Matchers.Contestant, key: TrialStore.RunKey, jobs: Int,
        request: RunRequest, notes: [String]
    ) throws {
        let matcher = try contestant.make()
        var tools = DegradationLibraries.versions
        tools["swift"] = Self.swiftVersion
        tools["ffmpeg"] =
            Provenance.firstLine(of: "ffmpeg", ["-version"])?.split(separator: " ").dropFirst(2).first
            .map(String.init) ?? "not installed"
        self.init(
            planName: plan.file.name, planDigest: plan.digest, planPath: plan.file.path,
            request: request, seed: plan.seed, corpusName: corpus.name, corpusDigest: corpus.lockDigest,
            half: plan.half.rawValue,
            matcher: .init(
                name: matcher.name, version: matcher.version, settings: matcher.settings, digest: key.matcher),
            commit: Provenance.commit, machine: .current, toolVersions: tools,
            startedAt: Date().formatted(.iso8601), wallSeconds: 0, jobs: jobs, referenceCount: 0,
            referenceSeconds: 0, indexBytes: nil, enrolSeconds: 0, trialCount: plan.trials.count,
            latencyTrialCount: 0, decodeSecondsTotal: 0, decodedAudioSeconds: 0, scoreThreshold: nil,
            notes: notes)
        panelDigest = plan.panelDigest
        startShiftFrames = plan.file.startShiftFrames
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

/// Facts about the machine and the sources that figures come from.
package enum Provenance {
    /// The first line of a program's output; nil if it cannot be run or fails.
    package static func firstLine(of program: String, _ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// The commit of the working folder, with a trailing `+` if files differ from it.
    package static var commit: String {
        firstLine(of: "git", ["describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]) ?? "none"
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
