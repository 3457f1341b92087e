import Glibc
import SystemIO

/// The process in which libsndfile reads a file for another one.
///
/// Descriptor 0 is a ``SoundPlace`` as bytes, descriptor 3 the file. It writes ``DecoderMessage``s to standard output: one
/// that the file is open or refused, then one for each unit.
package enum DecoderProcess {
    /// The only argument of such a process.
    package static let argument = "decode-for-parent"

    /// The exit code where the kernel cannot confine it.
    static let unconfinedCode: Int32 = 3

    /// Reads the file to its end.
    package static func run() -> Never {
        guard let request = try? StoredFile(0, path: "the request"),
            let place = SoundPlace(request.bytes(at: 0, request.byteCount)),
            let file = try? StoredFile(3, path: "the file"),
            (try? ProcessStart.confine(opens: place.path != nil)) != nil
        else { exit(unconfinedCode) }
        do throws(AudioFileError) {
            let sound = try place.open(file, name: "")
            let facts = sound.facts
            send(
                .opened, facts.sampleRate, facts.channelCount, facts.frameCount, Int(facts.format),
                facts.isBigEndian ? 1 : 0)
            // The numbers of a message stand before the samples, so that one call writes both.
            let head = DecoderMessage.headBytes
            let unit = UnsafeMutableRawBufferPointer.allocate(
                byteCount: head + SoundFacts.unitFrames * facts.frameBytes, alignment: 16)
            while true {
                let count = sound.read(into: unit.baseAddress! + head)
                let text = Array((sound.failure ?? "").utf8)
                let numbers = DecoderMessage.numbers(
                    .unit, text.count, [count, sound.position, Int(sound.readFailure ?? 0)])
                numbers.withUnsafeBytes { unit.copyMemory(from: $0) }
                write(UnsafeRawBufferPointer(rebasing: unit[..<(head + count * facts.frameBytes)]))
                text.withUnsafeBytes(write)
                if count < SoundFacts.unitFrames || !text.isEmpty { break }
            }
        } catch {
            send(
                .refused, error.code == .unreadable ? 1 : 0, Int(file.readFailure ?? 0), text: error.message)
        }
        exit(0)
    }

    private static func send(_ kind: DecoderMessage.Kind, _ values: Int..., text: String = "") {
        let text = Array(text.utf8)
        DecoderMessage.numbers(kind, text.count, values).withUnsafeBytes(write)
        text.withUnsafeBytes(write)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(1) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

/// What a decoder tells its parent: numbers, then samples, then a text.
struct DecoderMessage {
    enum Kind: Int { case refused, opened, unit }

    static let numberCount = 8
    static let headBytes = numberCount * MemoryLayout<Int>.stride
    private static let longestText = 4096

    let kind: Kind
    let textCount: Int
    let values: ArraySlice<Int>

    static func numbers(_ kind: Kind, _ textCount: Int, _ values: [Int]) -> [Int] {
        let numbers = [kind.rawValue, textCount] + values
        return numbers + [Int](repeating: 0, count: numberCount - numbers.count)
    }

    /// Nil for numbers that no decoder writes.
    init?(_ numbers: [Int]) {
        guard let kind = Kind(rawValue: numbers[0]), (0...Self.longestText).contains(numbers[1]) else {
            return nil
        }
        self.kind = kind
        textCount = numbers[1]
        values = numbers[2...]
    }
}

extension SoundPlace {
    /// Reads what ``bytes`` writes.
    init?(_ bytes: [UInt8]) {
        let stride = MemoryLayout<Int>.stride
        var numbers = [Int](repeating: 0, count: bytes.count / stride)
        numbers.withUnsafeMutableBytes { $0.copyBytes(from: bytes.prefix($0.count)) }
        guard numbers.count >= Self.headCount else { return nil }
        let (pathCount, headCount, partCount) = (numbers[0], numbers[1], numbers[2])
        let places = numbers.dropFirst(Self.headCount).prefix(2 * partCount)
        var rest = bytes[((Self.headCount + places.count) * stride)...]
        if pathCount > 0 { path = String(decoding: rest.prefix(pathCount), as: UTF8.self) }
        rest = rest.dropFirst(pathCount)
        head = Array(rest.prefix(headCount))
        parts = Swift.stride(from: places.startIndex, to: places.endIndex, by: 2).map {
            places[$0]..<places[$0 + 1]
        }
        lastBlock = numbers[3] > 0 ? numbers[3] : nil
        if numbers[4] != 0 {
            samples = BareSamples(
                format: Int32(truncatingIfNeeded: numbers[4]), sampleRate: numbers[5],
                channelCount: numbers[6], frameBytes: numbers[7])
        }
    }

    private static let headCount = 8

    /// It as bytes for another process of this program.
    var bytes: [UInt8] {
        let path = Array((path ?? "").utf8)
        let numbers =
            [
                path.count, head.count, parts.count, lastBlock ?? 0, Int(samples?.format ?? 0),
                samples?.sampleRate ?? 0, samples?.channelCount ?? 0, samples?.frameBytes ?? 0,
            ] + parts.flatMap { [$0.lowerBound, $0.upperBound] }
        return numbers.withUnsafeBytes { Array($0) } + path + head
    }
}
