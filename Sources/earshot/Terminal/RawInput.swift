import EarshotKit

/// The forms of samples on standard input; integers are signed and all are little-endian.
enum RawSamples: String, CaseIterable {
    case s16le, f32le

    fileprivate var byteCount: Int { self == .s16le ? 2 : 4 }

    fileprivate var commonFormat: AVAudioCommonFormat {
        self == .s16le ? .pcmFormatInt16 : .pcmFormatFloat32
    }
}

/// Reads samples from standard input, a tenth of a second at a time or what there is.
struct RawInput {
    private let form: RawSamples
    private let sampleRate: Int
    private let channelCount: Int
    private var frames = 0
    private var rest = Data()

    init(_ form: RawSamples, sampleRate: Int, channelCount: Int) {
        self.form = form
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    var heardSeconds: Double { Double(frames) / Double(sampleRate) }

    /// The next samples; nil at the end.
    ///
    /// - Throws: when the input cannot be read, or ends within a frame.
    mutating func next() throws -> AVAudioPCMBuffer? {
        let frameBytes = form.byteCount * channelCount
        let wanted = max(1, sampleRate / 10) * frameBytes
        while rest.count < frameBytes {
            guard let data = try FileHandle.standardInput.read(upToCount: wanted), !data.isEmpty else {
                guard rest.isEmpty else {
                    throw SHError(
                        .invalidAudioFormat,
                        message:
                            "standard input ends \(heardSeconds) s from its beginning, after \(rest.count) of the"
                            + " \(frameBytes) bytes of a frame")
                }
                return nil
            }
            rest.append(data)
        }
        let count = rest.count / frameBytes
        let buffer = try self.buffer(of: rest.prefix(count * frameBytes), frames: count)
        rest = Data(rest.dropFirst(count * frameBytes))
        frames += count
        return buffer
    }

    private func buffer(of data: Data, frames: Int) throws -> AVAudioPCMBuffer {
        guard
            let format = AVAudioFormat(
                commonFormat: form.commonFormat, sampleRate: Double(sampleRate),
                channels: AVAudioChannelCount(channelCount), interleaved: true),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)),
            let samples = buffer.int16ChannelData.map({ UnsafeMutableRawPointer($0[0]) })
                ?? buffer.floatChannelData.map({ UnsafeMutableRawPointer($0[0]) })
        else {
            throw SHError(
                .invalidAudioFormat, message: "\(channelCount) channels at \(sampleRate) Hz cannot be matched"
            )
        }
        buffer.frameLength = AVAudioFrameCount(frames)
        data.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { samples.copyMemory(from: first, byteCount: bytes.count) }
        }
        return buffer
    }
}

extension RawInput {
    /// Matches all samples against a catalog, in a session whose clock they are.
    ///
    /// - Parameter take: Receives each outcome and the seconds heard; ends the matching by returning false.
    mutating func match(against catalog: SHCatalog, take: (SHSession.Result, Double) throws -> Bool) throws {
        let clock = SampleClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let outcomes = Outcomes()
        session.delegate = outcomes
        while let buffer = try next() {
            clock.heard.advance(by: .seconds(Double(buffer.frameLength) / Double(sampleRate)))
            session.matchStreamingBuffer(buffer, at: nil)
            for outcome in outcomes.taken() {
                guard try take(outcome, heardSeconds) else { return }
            }
        }
    }

    private final class Outcomes: NSObject, SHSessionDelegate {
        private var found: [SHSession.Result] = []

        func session(_ session: SHSession, didFind match: SHMatch) { found.append(.match(match)) }

        func session(
            _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
        ) {
            found.append(error.map { .error($0, signature) } ?? .noMatch(signature))
        }

        func taken() -> [SHSession.Result] {
            defer { found = [] }
            return found
        }
    }
}

/// The time of samples: between buffers none passes, so that outcomes do not depend on how fast they come.
private struct SampleClock: Clock {
    let heard = ManualClock()

    var now: ManualClock.Instant { heard.now }
    var minimumResolution: Duration { .zero }

    /// Nobody can wait for samples that have not come.
    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) throws { throw CancellationError() }
}
