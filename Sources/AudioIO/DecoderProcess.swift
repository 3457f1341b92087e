import AudioCore
import Foundation
import Glibc
import SystemIO

/// How a decoder reads its file.
struct DecoderRequest: Codable {
    /// The name in errors; its extension tells samples without a header.
    var name = ""
    var track: Int?
    /// Whether its parent has programs for other formats.
    var hasPrograms = false
}

/// What changes while a file is read.
struct DecoderNews: Codable, Equatable {
    var damage: AudioDamage?
    var remark: String?
}

/// The processes in which files are read for another one: one that starts the others, and one for each file.
package enum DecoderProcess {
    /// The first argument of the process that starts the others.
    package static let argument = "decode-for-parent"

    /// The exit code where the kernel cannot confine it.
    static let unconfinedCode = 3

    /// Starts decoders until its parent ends.
    package static func run() -> Never {
        let numbers = CommandLine.arguments.dropFirst(2).compactMap { UInt($0) }
        guard numbers.count == 2 else { exit(1) }
        let limits = ProcessLimits(
            memoryBytes: numbers[0], processorSeconds: numbers[1], openFiles: 32, isConfined: true)
        warmUp()
        guard let given = try? ProcessStart.nurse(at: 0, limits: limits) else { _exit(Int32(unconfinedCode)) }
        let socket = DecoderSocket(given.socket)
        do {
            try serve(socket, given.file, DecoderRing(SharedMemory(descriptor: given.memory)))
        } catch let error as AudioFileError {
            try? socket.send(.failed, value: DecoderFailure(error))
        } catch {}
        _exit(0)
    }

    /// Reads a file of its own and makes messages: what a first use prepares, each decoder would prepare again.
    private static func warmUp() {
        let silence = AudioBuffer(samples: [Float](repeating: 0, count: 800), sampleRate: 8000)
        guard let bytes = try? AudioFile.encode(silence, as: AudioEncoding.wave[0]) else { return }
        let file = MemoryFile(bytes)
        guard let sound = try? FileSound(file, others: nil, track: nil, name: "") else { return }
        while let unit = try? sound.read().unit, !unit.isLast {}
        func send<Value: Codable>(_ value: Value) {
            _ = try? JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        send(sound.facts)
        send(AudioTags(path: "/dev/null"))
        send(DecoderRequest())
        send(DecoderNews(damage: AudioDamage(seconds: 0, reason: ""), remark: ""))
        send(DecoderFailure(AudioFileError(.damaged, path: "", "")))
    }

    /// Reads the file to its end, and then its tags if they are asked for.
    private static func serve(_ socket: DecoderSocket, _ descriptor: Int32, _ ring: DecoderRing) throws {
        let link = DecoderLink(socket)
        let request = try link.wait(.request, as: DecoderRequest.self)
        let file = try StoredFile(descriptor, path: request.name)
        let sound = try FileSound(
            file, others: request.hasPrograms ? ParentPrograms(link) : nil, track: request.track,
            name: request.name)
        try socket.send(.opened, value: sound.facts)
        try link.send(sound, through: ring)
        try socket.send(.ended)
        guard try link.wait().kind == .tags else { return }
        try socket.send(.tags, value: AudioTags(file))
    }
}

/// The decoder's side of its socket.
private final class DecoderLink {
    let socket: DecoderSocket
    /// How many places of the ring the parent has read.
    private var freed = 0

    init(_ socket: DecoderSocket) { self.socket = socket }

    /// The next record that frees no place.
    func wait() throws(DecoderSocket.Problem) -> DecoderSocket.Record {
        while true {
            let record = try socket.receive()
            guard record.kind == .free else { return record }
            freed += 1
        }
    }

    /// Waits for a value.
    /// - Throws: ``DecoderFailure`` of the parent.
    func wait<Value: Decodable>(_ kind: DecoderSocket.Kind, as type: Value.Type) throws -> Value {
        let record = try wait()
        if record.kind == .failed { throw try socket.value(of: record, as: DecoderFailure.self) }
        guard record.kind == kind else { throw DecoderSocket.Problem.nonsense }
        return try socket.value(of: record, as: type)
    }

    /// Sends all frames, many units in a record.
    func send(_ sound: FileSound, through ring: DecoderRing) throws {
        let channelCount = sound.facts.channelCount
        let room = SoundFile.unitFrames * channelCount * MemoryLayout<Float>.stride
        var told = DecoderNews(remark: sound.facts.remark)
        var (number, block, byteCount) = (0, FileUnit(), 0)
        while !block.isLast {
            while DecoderRing.isFull(number, freed: freed) {
                guard try socket.receive().kind == .free else { throw DecoderSocket.Problem.nonsense }
                freed += 1
            }
            guard let place = ring.place(number, channelCount: channelCount) else {
                throw DecoderSocket.Problem.nonsense
            }
            let unit = try sound.read(into: UnsafeMutableRawBufferPointer(rebasing: place[byteCount...]))
            (block.isInt16, block.isLast) = (unit.isInt16, unit.isLast)
            if !unit.isForeign {
                block.frameCount += unit.frameCount
                byteCount += unit.frameCount * channelCount * (unit.isInt16 ? 2 : 4)
            }
            // Units that are not full end a source. The next one may have other samples.
            let isDone = unit.frameCount < SoundFile.unitFrames || place.count - byteCount < room
            if block.frameCount > 0, isDone || unit.isForeign {
                try socket.send(.unit, block.frameCount, block.isInt16 ? 1 : 0, 0, number)
                (number, byteCount, block.frameCount) = (number + 1, 0, 0)
            }
            if unit.isForeign, unit.frameCount > 0 { try socket.send(.unit, unit.frameCount, 0, 1, 0) }
            let news = DecoderNews(damage: sound.damage, remark: sound.remark)
            if news != told { try socket.send(.news, value: news) }
            told = news
        }
    }
}

/// An error without the name of its file, which the parent knows.
struct DecoderFailure: Codable, Error {
    let code: String
    let message: String

    init(_ error: AudioFileError) { (code, message) = (error.code.rawValue, error.message) }

    func error(name: String) -> AudioFileError {
        AudioFileError(AudioFileError.Code(rawValue: code) ?? .decoderEnded, path: name, message)
    }
}

/// The programs of the parent, which a confined process cannot start.
private final class ParentPrograms: ForeignPrograms {
    private let link: DecoderLink

    init(_ link: DecoderLink) { self.link = link }

    func decode(_ request: ForeignRequest) throws -> any SampleSource {
        do {
            try link.socket.send(.decode, value: request)
            return try ParentSamples(link.wait(.decode, as: FileFacts.self), link)
        } catch let failure as DecoderFailure { throw failure.error(name: "") }
    }
}

/// Samples that the parent has; only their number is known here.
private final class ParentSamples: SampleSource {
    private let facts: FileFacts
    private let link: DecoderLink
    private(set) var damage: AudioDamage?
    private(set) var remark: String?

    init(_ facts: FileFacts, _ link: DecoderLink) {
        self.facts = facts
        self.link = link
        remark = facts.remark
    }

    var sampleRate: Int { facts.sampleRate }
    var channelCount: Int { facts.channelCount }
    var formatName: String { facts.formatName }
    var expectedFrames: Int { facts.expectedFrames }
    var trackCount: Int { facts.trackCount }

    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        do {
            let room = target.count / channelCount / MemoryLayout<Float>.stride
            try link.socket.send(.read, min(SoundFile.unitFrames, room))
            let answer = try link.wait(.read, as: ForeignAnswer.self)
            (damage, remark) = (answer.news.damage, answer.news.remark)
            return answer.frameCount
        } catch let failure as DecoderFailure { throw failure.error(name: "") }
    }
}

/// What the parent has read of a program's samples.
struct ForeignAnswer: Codable {
    let frameCount: Int
    let news: DecoderNews
}
