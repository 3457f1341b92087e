import AudioCore
internal import CSndfile

/// Writes a file with libsndfile.
struct SoundFileWriter {
    let handle: OpaquePointer
    let name: String

    /// The encoding must accept the rate and channels of `audio`.
    static func encode(
        _ audio: AudioBuffer, as encoding: AudioEncoding.Library, name: String
    ) throws(AudioFileError) -> [UInt8] {
        let memory = MemoryFile()
        defer { withExtendedLifetime(memory) {} }
        var callbacks = MemoryFile.callbacks()
        var info = SF_INFO()
        info.samplerate = Int32(audio.sampleRate)
        info.channels = Int32(audio.channelCount)
        info.format = encoding.format
        let user = Unmanaged.passUnretained(memory).toOpaque()
        guard let handle = sf_open_virtual(&callbacks, Int32(SFM_WRITE), &info, user) else {
            throw AudioFileError(
                .cannotEncode, path: name,
                "\(audio.sampleRate) Hz, \(audio.channelCount) channels cannot be encoded: "
                    + String(cString: sf_strerror(nil)))
        }
        do throws(AudioFileError) {
            let writer = SoundFileWriter(handle: handle, name: name)
            try writer.set(
                encoding.quality, sampleRate: audio.sampleRate, channelCount: audio.channelCount)
            // libvorbis puts a channel of the first frames on the stack, which limits their number.
            for start in stride(from: 0, to: audio.frameCount, by: 1 << 20) {
                let end = min(audio.frameCount, start + 1 << 20)
                try writer.write(
                    interleaved: audio.frames(start..<end).interleaved, as: encoding.samples,
                    gain: encoding.gain)
            }
        } catch {
            sf_close(handle)
            throw error
        }
        let status = sf_close(handle)
        guard status == 0 else {
            throw AudioFileError(
                .cannotEncode, path: name,
                "the file cannot be completed: \(String(cString: sf_error_number(status)))")
        }
        return memory.bytes
    }

    func set(
        _ quality: AudioEncoding.Quality, sampleRate: Int, channelCount: Int
    ) throws(AudioFileError) {
        // The chunk of the peak holds the time, with which equal audio would have other bytes.
        sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
        let size = Int32(MemoryLayout<Double>.size)
        var accepted = true
        switch quality {
        case .fixed: break
        case .variable(var value):
            accepted = sf_command(handle, Int32(SFC_SET_VBR_ENCODING_QUALITY), &value, size) != 0
        case .opus(let kilobits):
            // libsndfile maps level 0…1 to 256…6 kbit/s for each channel.
            var level = 1 - (Double(kilobits) / Double(channelCount) - 6) / 250
            accepted = sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, size) != 0
        case .mp3(let kilobits):
            var mode = Int32(SF_BITRATE_MODE_CONSTANT)
            let range = AudioEncoding.mp3Kilobits(sampleRate: sampleRate)
            // libsndfile maps level 0…1 to the highest…lowest bitrate and drops the fraction, hence half a step more.
            var level =
                (Double(range.upperBound - kilobits) - 0.5) / Double(range.upperBound - range.lowerBound)
            level = min(1, max(0, level))
            // The mode must come second, for it needs the level.
            accepted =
                sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, size) != 0
                && sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
                    != 0
        }
        guard accepted else {
            throw AudioFileError(.cannotEncode, path: name, "the encoder refuses the quality \(quality)")
        }
    }

    func write(
        interleaved: [Float], as samples: AudioEncoding.Samples, gain: Float
    ) throws(AudioFileError) {
        let count = sf_count_t(interleaved.count)
        let written: sf_count_t
        switch samples {
        case .float: written = sf_write_float(handle, interleaved, count)
        case .integer(let bits) where bits <= 16:
            let words = Self.quantise(interleaved, gain: gain, bits: bits).map {
                Int16(truncatingIfNeeded: $0 >> 16)
            }
            written = sf_write_short(handle, words, count)
        case .integer(let bits):
            written = sf_write_int(handle, Self.quantise(interleaved, gain: gain, bits: bits), count)
        }
        guard written == count else {
            throw AudioFileError(
                .cannotEncode, path: name,
                "the encoder stopped after \(written) of \(count) samples: \(String(cString: sf_strerror(handle)))"
            )
        }
    }

    /// Rounds to `bits` of resolution, clips, and puts the result in the top bits.
    ///
    /// The float writers of libsndfile round toward zero, scale by 2ⁿ − 1 or, for some codecs, wrap around. Quantising here
    /// keeps integer samples that are read and written again.
    private static func quantise(_ samples: [Float], gain: Float, bits: Int) -> [Int32] {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        return samples.map { sample in
            let level = Double(min(1, max(-1, sample)) * gain) * scale
            return Int32(bounded: level.isNaN ? 0 : min(scale - 1, level.rounded())) << Int32(32 - bits)
        }
    }
}
