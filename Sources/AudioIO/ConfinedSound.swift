import AudioCore
import SystemIO

/// A file that a process of its own reads.
///
/// Whatever that process says is checked: its file may have taken it over.
final class ConfinedSound: FileUnits {
    let facts: FileFacts
    private(set) var damage: AudioDamage?
    private(set) var remark: String?

    private let decoder: ConfinedDecoder
    /// How many records of samples came, and whether the samples of the last one are still in use.
    private var (number, isLent) = (0, false)
    private var isAtEnd = false
    /// Floats are checked, so that the decoder must not change them afterwards.
    private let own: UnsafeMutableRawBufferPointer

    /// Waits until the decoder has opened the file; errors call it `name`.
    init(
        _ file: VirtualFile, others: (any ForeignPrograms)?, track: Int?, in sandbox: DecoderSandbox,
        name: String
    ) throws {
        let request = DecoderRequest(name: name, track: track, hasPrograms: others != nil)
        decoder = try ConfinedDecoder(request, file, others: others, in: sandbox)
        facts = try decoder.value(.opened, as: FileFacts.self)
        remark = facts.remark
        try AudioFile.require(
            sampleRate: facts.sampleRate, channelCount: facts.channelCount, of: "the header says", name: name)
        guard facts.expectedFrames >= 0, (1...1024).contains(facts.trackCount) else { throw decoder.nonsense }
        own = .allocate(
            byteCount: DecoderRing.placeFrames(channelCount: facts.channelCount) * facts.channelCount
                * MemoryLayout<Float>.stride, alignment: 16)
    }

    deinit { own.deallocate() }

    func read() throws -> (unit: FileUnit, samples: InterleavedSamples) {
        if isLent { try decoder.free() }
        isLent = false
        while !isAtEnd {
            let record = try decoder.next(channelCount: facts.channelCount)
            switch record.kind {
            case .news:
                let news = try decoder.value(of: record, as: DecoderNews.self)
                (damage, remark) = (news.damage, news.remark)
            case .ended: isAtEnd = true
            case .unit: return try unit(record.numbers)
            default: throw decoder.nonsense
            }
        }
        return (FileUnit(isLast: true), .float(UnsafeBufferPointer(start: nil, count: 0)))
    }

    private func unit(_ numbers: [Int]) throws -> (unit: FileUnit, samples: InterleavedSamples) {
        let unit = FileUnit(frameCount: numbers[0], isInt16: numbers[1] == 1, isForeign: numbers[2] == 1)
        guard (1...DecoderRing.byteCount).contains(unit.frameCount),
            numbers[3] == (unit.isForeign ? 0 : number)
        else { throw decoder.nonsense }
        if unit.isForeign {
            guard !unit.isInt16, decoder.take(unit.frameCount, into: own) else { throw decoder.nonsense }
            return (unit, unit.samples(in: own, channelCount: facts.channelCount))
        }
        let byteCount = unit.frameCount * facts.channelCount * (unit.isInt16 ? 2 : 4)
        guard let place = decoder.ring.place(number, channelCount: facts.channelCount),
            byteCount <= place.count
        else { throw decoder.nonsense }
        (number, isLent) = (number + 1, true)
        guard !unit.isInt16 else { return (unit, unit.samples(in: place, channelCount: facts.channelCount)) }
        own.copyMemory(from: UnsafeRawBufferPointer(rebasing: place[..<byteCount]))
        return (unit, unit.samples(in: own, channelCount: facts.channelCount))
    }

    func tags() throws -> AudioTags { try decoder.tags().shortened }
}

/// The conversation with a process that reads a file.
private final class ConfinedDecoder {
    private let name: String
    private let socket: DecoderSocket
    let ring: DecoderRing
    private let stallSeconds: Double
    private let others: (any ForeignPrograms)?
    private var foreign: (any SampleSource)?
    /// What the last read of another program gave.
    private var foreignSamples: [Float] = []
    private var (foreignFrames, foreignChannels) = (0, 0)

    init(
        _ request: DecoderRequest, _ file: VirtualFile, others: (any ForeignPrograms)?,
        in sandbox: DecoderSandbox
    ) throws {
        name = request.name
        self.others = others
        stallSeconds = sandbox.stallSeconds
        (socket, ring) = try sandbox.start(file, name: name)
        // What ended before it was asked says so in its place.
        try? socket.send(.request, value: request)
    }

    var nonsense: AudioFileError {
        AudioFileError(.decoderEnded, path: name, "its decoder ended without an answer")
    }

    /// Waits for a record of this kind, whose body is a value.
    func value<Value: Decodable>(_ kind: DecoderSocket.Kind, as type: Value.Type) throws -> Value {
        let record = try next(channelCount: nil)
        guard record.kind == kind else { throw nonsense }
        return try value(of: record, as: type)
    }

    func value<Value: Decodable>(of record: DecoderSocket.Record, as type: Value.Type) throws -> Value {
        do { return try socket.value(of: record, as: type) } catch { throw nonsense }
    }

    /// Lets the decoder fill a place of the ring again.
    ///
    /// One that has ended says so in its next record. One that does not listen would make the parent wait for ever.
    func free() throws {
        do throws(DecoderSocket.Problem) { try socket.send(.free) } catch {
            if error == .stalled { throw stalled }
        }
    }

    /// Asks for the tags, which a decoder reads at the end.
    func tags() throws -> AudioTags {
        do { try socket.send(.tags) } catch { throw nonsense }
        return try value(.tags, as: AudioTags.self)
    }

    /// The next record that is no request of the decoder.
    ///
    /// - Parameter channelCount: Of the file; nil while it is not open, when nothing is read.
    func next(channelCount: Int?) throws -> DecoderSocket.Record {
        while true {
            let record = try receive()
            switch record.kind {
            case .failed: throw try value(of: record, as: DecoderFailure.self).error(name: name)
            case .died: throw death(record.numbers)
            case .decode: try decode(value(of: record, as: ForeignRequest.self))
            case .read: try read(record.numbers[0], channelCount: channelCount)
            default: return record
            }
        }
    }

    private func receive() throws -> DecoderSocket.Record {
        do throws(DecoderSocket.Problem) { return try socket.receive() } catch {
            throw error == .stalled ? stalled : nonsense
        }
    }

    private var stalled: AudioFileError {
        AudioFileError(.decoderEnded, path: name, "its decoder did not decode on in \(stallSeconds) s")
    }

    private func death(_ numbers: [Int]) -> AudioFileError {
        let (signal, code, start) = (numbers[0], numbers[1], numbers[2])
        if start != 0 {
            return AudioFileError(
                .decoderFailed, path: name,
                "a confined process cannot be started: \(String(cString: strerror(Int32(truncatingIfNeeded: start))))"
            )
        }
        if code == DecoderProcess.unconfinedCode { return DecoderSandbox.isNotConfined(name: name) }
        return signal == 0 ? nonsense : .endedBySignal(Int32(truncatingIfNeeded: signal), path: name)
    }

    private func decode(_ request: ForeignRequest) throws {
        guard let others else { throw nonsense }
        try answering {
            let foreign = try others.decode(request)
            self.foreign = foreign
            try socket.send(.decode, value: FileFacts(foreign))
        }
    }

    private func read(_ frames: Int, channelCount: Int?) throws {
        guard let foreign, foreign.channelCount == channelCount, (1...SoundFile.unitFrames).contains(frames)
        else { throw nonsense }
        try answering {
            let count = frames * foreign.channelCount
            if foreignSamples.count < count { foreignSamples = [Float](repeating: 0, count: count) }
            let got = try foreignSamples.withUnsafeMutableBytes {
                try foreign.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: $0[..<(count * MemoryLayout<Float>.stride)])
                )
            }
            (foreignFrames, foreignChannels) = (got, foreign.channelCount)
            let news = DecoderNews(damage: foreign.damage, remark: foreign.remark)
            try socket.send(.read, value: ForeignAnswer(frameCount: got, news: news))
        }
    }

    /// Copies what the last read of another program gave; false unless it gave `frameCount` frames.
    func take(_ frameCount: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard frameCount == foreignFrames else { return false }
        // The channels are those of that read: a decoder may have asked for another program since.
        let byteCount = foreignFrames * foreignChannels * MemoryLayout<Float>.stride
        foreignSamples.withUnsafeBytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
        }
        return true
    }

    /// Tells the decoder what went wrong with a program, so that it can go on with the rest of the file.
    private func answering(_ body: () throws -> Void) throws {
        do { try body() } catch let error as AudioFileError {
            try? socket.send(.failed, value: DecoderFailure(error))
        } catch { throw nonsense }
    }
}
