import Foundation
import Glibc
import SystemIO

/// The process in which libsndfile reads a file for another one.
///
/// Descriptor 0 is a ``SoundPlace`` as JSON, descriptor 3 the file. It writes ``DecoderMessage``s to standard output: one
/// that the file is open or refused, then one for each unit.
package enum DecoderProcess {
    /// The only argument of such a process.
    package static let argument = "decode-for-parent"

    /// The exit code where the kernel cannot confine it.
    static let unconfinedCode: Int32 = 3

    /// Reads the file to its end.
    package static func run() -> Never {
        guard let request = try? StoredFile(0, path: "the request"),
            let place = try? JSONDecoder().decode(
                SoundPlace.self, from: Data(request.bytes(at: 0, request.byteCount))),
            let file = try? StoredFile(3, path: "the file"),
            (try? ProcessStart.confine(opens: place.path != nil)) != nil
        else { exit(unconfinedCode) }
        do throws(AudioFileError) {
            let sound = try LibrarySound(place, of: file, name: "")
            let facts = sound.facts
            send(
                .opened, facts.sampleRate, facts.channelCount, facts.frameCount, Int(facts.format),
                facts.isBigEndian ? 1 : 0)
            // The numbers of a message stand before the samples, so that one call writes both.
            let head = DecoderMessage.headBytes
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: head + SoundFacts.unitFrames * facts.frameBytes, alignment: 16)
            while true {
                let unit = sound.read(into: bytes.baseAddress! + head)
                let text = Array((unit.failure ?? "").utf8)
                let numbers = DecoderMessage.numbers(
                    .unit, text.count, [unit.frameCount, unit.position, Int(unit.readFailure ?? 0)])
                numbers.withUnsafeBytes { bytes.copyMemory(from: $0) }
                write(UnsafeRawBufferPointer(rebasing: bytes[..<(head + unit.frameCount * facts.frameBytes)]))
                text.withUnsafeBytes(write)
                if unit.frameCount < SoundFacts.unitFrames || !text.isEmpty { break }
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
