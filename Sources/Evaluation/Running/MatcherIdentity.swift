import AudioCore
import Corpora
import Foundation
import Matchers
import SystemIO

extension Contestant {
    /// SHA-256 over the contents of the files of its code, in hexadecimal.
    package var codeDigest: String {
        let contents = codeFiles.map { FileContents.sha256(of: $0) ?? "unreadable \($0)" }
        return Digest.sha256(contents.joined(separator: "\n"))
    }

    /// SHA-256 over name, version, settings and the full answers to 64 fixed queries, in hexadecimal.
    ///
    /// The queries come from fixed synthetic music; a third are noisy, and an eighth are from music that is not
    /// enrolled. If a matcher in another process does not answer, the missing answer counts, because it also fails
    /// in the trials. Equal digests do not prove equal answers to other queries.
    ///
    /// - Parameter folder: Where a digest that code and settings alone decide is kept for other processes; nil keeps
    ///   nothing. A process with another program, setting, library or processor makes it again.
    package func answersDigest(keptIn folder: String? = KeptDigest.standardFolder) throws -> String {
        let matcher = try make()
        guard let folder, isDecidedByCode else { return try answersDigest(of: matcher) }
        let kept = KeptDigest(
            of: [codeDigest] + Self.circumstances + Self.identity(of: matcher), in: folder)
        if let digest = kept.read() { return digest }
        let digest = try answersDigest(of: matcher)
        kept.write(digest)
        return digest
    }

    private func answersDigest(of matcher: any Matcher) throws -> String {
        let music = (0..<8).map { SyntheticMusic(seed: 0xEA45_0000 + UInt64($0), seconds: 20).render() }
        for (number, audio) in music.dropLast().enumerated() {
            try matcher.enrol(id: "synthetic-\(number)", audio: audio)
        }
        _ = try matcher.finishEnrolment()
        let hash = Digest()
        func add(_ text: String) { hash.update((text + "\n")) }
        for line in Self.identity(of: matcher) { add(line) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // A program in another process gets as many others among them, so that no place tells which are asked in every run.
        let isRemote = matcher.powers.remote != nil
        let numbers = isRemote ? (0..<2 * Self.fixedQueries).shuffled() : Array(0..<Self.fixedQueries)
        var answers = [Data](repeating: Data(), count: Self.fixedQueries)
        for number in numbers {
            let isFixed = number < Self.fixedQueries
            var generator = SeededGenerator(
                seed: isFixed ? UInt64(Self.fixedQueries) : .random(in: 0 ... .max), "query \(number)")
            let source = music[number % music.count]
            let length = 3 * source.sampleRate
            let start = generator.index(below: source.frameCount - length)
            var query = source.frames(start..<(start + length))
            if number.isMultiple(of: 3) { query.addWhiteNoise(using: &generator) }
            var answer: Data
            do {
                answer = try encoder.encode(matcher.identify(Query(name: "query-\(number)", audio: query)))
            } catch let error where isRemote && !error.isFailureOfJudge {
                answer = Data("no answer\n".utf8)
            }
            if isFixed { answers[number] = answer }
        }
        for answer in answers { hash.update(answer) }
        return hash.finalize().hexadecimal
    }

    private static let fixedQueries = 64

    private static func identity(of matcher: any Matcher) -> [String] {
        [matcher.name, matcher.version]
            + matcher.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    /// What else may decide answers: the program that asks, the libraries that it has loaded, and the processor, by
    /// which libraries choose their code.
    private static var circumstances: [String] {
        let machine = RunFacts.Machine.current
        let program = FileContents.sha256(of: ownProgram) ?? "unreadable"
        return [program, machine.processor, machine.revision ?? ""] + (machine.features ?? [])
            + LoadedFiles.stamps
    }
}

extension AudioBuffer {
    /// Adds white noise of about the power of the signal.
    fileprivate mutating func addWhiteNoise(using generator: inout SeededGenerator) {
        let amplitude = (3 * meanPower).squareRoot()
        for channel in 0..<channelCount {
            withMutableChannel(channel) { plane in
                for frame in plane.indices {
                    plane[frame] += Float(generator.uniform(in: -amplitude...amplitude))
                }
            }
        }
    }
}
