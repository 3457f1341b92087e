import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

struct GoldenLine {
    var name: String
    var version: Int
    var digest: SampleDigest

    init(name: String, version: Int, digest: SampleDigest) {
        self.name = name
        self.version = version
        self.digest = digest
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " | ")
        guard parts.count == 3, let version = Int(parts[1]), let digest = SampleDigest(parts[2]) else {
            return nil
        }
        self.init(name: String(parts[0]), version: version, digest: digest)
    }

    var text: String { "\(name) | \(version) | \(digest)" }
}

/// The recorded lines of a file in `Golden`, and the versions of the libraries that they were recorded with.
///
/// `EARSHOT_RECORD=1` writes the lines of new versions and of new cases, never those of a version that the file has. The
/// test then fails, so that no one records by accident.
struct GoldenFile {
    private let lines: [String: GoldenLine]
    private let libraries: Set<String>

    /// What differs between a file and what was found, in words.
    ///
    /// - Parameter found: Lines, each with the library that decides its samples.
    static func problems(of found: [(library: String?, line: GoldenLine)], in name: String) throws -> [String]
    {
        let path = PackageFolder.path + "/Tests/DegradationsTests/Golden/" + name
        let kept = try GoldenFile(path: path)
        var problems: [String] = []
        var lines: [GoldenLine] = []
        for (library, line) in found {
            guard let known = kept.lines[line.name], known.version == line.version else {
                lines.append(line)
                problems.append(
                    "\(line.name): \(name) has no line of version \(line.version); set EARSHOT_RECORD=1")
                continue
            }
            lines.append(known)
            guard kept.isComparable(library), let difference = known.digest.difference(from: line.digest)
            else {
                continue
            }
            problems.append(
                "\(line.name): \(difference); if this is intended, raise its version and set EARSHOT_RECORD=1"
            )
        }
        let gone = Set(kept.lines.keys).subtracting(lines.map(\.name))
        if !gone.isEmpty { problems.append("lines without a case: \(gone.sorted())") }
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            let rows = ["# " + versions.joined(separator: ", ")] + lines.map(\.text)
            try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
            problems.append("\(path) was written; look at it and run again without EARSHOT_RECORD")
        }
        return problems
    }

    private init(path: String) throws {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        var (lines, libraries): ([String: GoldenLine], Set<String>) = ([:], [])
        for row in text.split(separator: "\n") {
            if row.hasPrefix("# ") {
                libraries.formUnion(row.dropFirst(2).split(separator: ", ").map(String.init))
            } else {
                let line = try #require(GoldenLine(row), "\(row)")
                lines[line.name] = line
            }
        }
        (self.lines, self.libraries) = (lines, libraries)
    }

    /// Whether this machine has the version of `library` that the file was recorded with.
    private func isComparable(_ library: String?) -> Bool {
        library.map { name in Self.versions.filter { $0.hasPrefix(name) }.allSatisfy(libraries.contains) }
            ?? true
    }

    private static var versions: [String] {
        DegradationLibraries.versions.map { "\($0.key) \($0.value)" }.sorted()
    }
}

/// Figures that samples decide, equal within rounding on every processor.
///
/// Each of the last four is the sum of all samples under random signs, over the root of their energy. A change of the
/// samples by a share of their amplitude changes these figures by about that share.
struct SampleDigest: CustomStringConvertible {
    /// Sample rate, frames and channels.
    private var shape: [Int]
    /// The place of the first sample in seconds, and the slopes of both maps.
    private var truth: [Double]
    /// The RMS and the sums.
    private var sums: [Double]

    private static let truthTolerance = 2e-9
    /// −114 dB.
    private static let tolerance = 2e-6

    init(_ clip: Clip) {
        let audio = clip.audio
        shape = [audio.sampleRate, audio.frameCount, audio.channelCount]
        truth = [
            clip.timeMap(0), clip.timeMap(0.5) - clip.timeMap(0),
            clip.frequencyMap(0.5) - clip.frequencyMap(0),
        ]
        let root = (audio.meanPower * Double(audio.samples.count)).squareRoot()
        sums = [audio.meanPower.squareRoot()]
        for seed in 1...4 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var signs: UInt64 = 0
            var sum = 0.0
            for (index, sample) in audio.samples.enumerated() {
                if index.isMultiple(of: 64) { signs = generator.next() }
                sum += signs & 1 == 0 ? Double(sample) : -Double(sample)
                signs >>= 1
            }
            sums.append(root > 0 ? sum / root : 0)
        }
    }

    init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "; ").map { $0.split(separator: " ") }
        guard groups.count == 3 else { return nil }
        shape = groups[0].compactMap { Int($0) }
        truth = groups[1].compactMap { Double($0) }
        sums = groups[2].compactMap { Double($0) }
        guard (shape.count, truth.count, sums.count) == (3, 3, 5) else { return nil }
    }

    var description: String {
        [
            shape.map { "\($0)" }, truth.map { String(format: "%.9f", $0) },
            sums.map { String(format: "%.7f", $0) },
        ].map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// What differs, in words; nil if nothing does.
    func difference(from other: SampleDigest) -> String? {
        func differ(_ a: [Double], _ b: [Double], by tolerance: Double) -> Bool {
            zip(a, b).contains { !(abs($0 - $1) <= tolerance) }
        }
        if shape != other.shape { return "the shape is \(other.shape), not \(shape)" }
        if differ(truth, other.truth, by: Self.truthTolerance) {
            return "the truth is \(other.truth), not \(truth)"
        }
        if differ(sums, other.sums, by: Self.tolerance) {
            return "the samples differ: \(other.sums), not \(sums)"
        }
        return nil
    }
}
