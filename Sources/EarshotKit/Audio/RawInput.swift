package enum RawSamples: String, CaseIterable, Sendable {
    /// Signed 16-bit integers, little-endian.
    case s16le
    /// 32-bit floats, little-endian.
    case f32le

    var byteCount: Int { self == .s16le ? 2 : 4 }

    fileprivate func sample(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Float {
        switch self {
        case .s16le:
            Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))) / 32768
        case .f32le:
            Float(
                bitPattern: UInt32(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
        }
    }
}

/// Reads samples from standard input, a tenth of a second at a time or what there is.
package struct RawInput {
    private let form: RawSamples
    private let sampleRate: Int
    private let channelCount: Int
    private var frames = 0
    private var rest = Data()

    package init(_ form: RawSamples, sampleRate: Int, channelCount: Int) {
        self.form = form
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    package var heardSeconds: Double { Double(frames) / Double(sampleRate) }

    /// The next samples; nil at the end.
    ///
    /// - Throws: when the input cannot be read, or ends within a frame.
    package mutating func next() throws -> AVAudioPCMBuffer? {
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
                standardFormatWithSampleRate: Double(sampleRate), channels: AVAudioChannelCount(channelCount)),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)),
            let channels = buffer.floatChannelData
        else {
            throw SHError(
                .invalidAudioFormat, message: "\(channelCount) channels at \(sampleRate) Hz cannot be matched"
            )
        }
        buffer.frameLength = AVAudioFrameCount(frames)
        data.withUnsafeBytes { bytes in
            for frame in 0..<frames {
                for channel in 0..<channelCount {
                    channels[channel][frame] = form.sample(bytes, at: frame * channelCount + channel)
                }
            }
        }
        return buffer
    }
}

extension RawInput {
    /// Matches all samples against a catalog, as a stream whose clock they are.
    ///
    /// - Parameter take: receives each outcome; ends the matching by returning false.
    package mutating func match(against catalog: SHCatalog, take: (HeardLine) throws -> Bool) throws {
        let clock = ManualClock()
        let playback = PlaybackClock(clock)
        var stream = SessionStream(lookup: QueryLookup(catalog: catalog, clock: playback), clock: playback)
        while let buffer = try next() {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(sampleRate)))
            for outcome in stream.append(buffer.samples, at: nil, atSeconds: playback.seconds) {
                guard try take(HeardLine(outcome, heardSeconds: heardSeconds)) else { return }
            }
        }
    }
}
