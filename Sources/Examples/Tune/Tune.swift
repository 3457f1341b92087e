import ShazamKit

/// A tune that a program makes, for a demonstration without recordings.
package enum Tune {
    /// In hertz.
    package static let sampleRate = 16_000
    /// Mono.
    package static let format = AVAudioFormat(
        standardFormatWithSampleRate: Double(sampleRate), channels: 1)!

    /// The samples of a tune.
    ///
    /// Another number makes other notes.
    package static func samples(_ number: Int, seconds: Int) -> [Float] {
        var state = UInt64(number + 1)
        func random(below limit: UInt64) -> Int {
            // Knuth's MMIX generator, because a tune must be the same each time.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % limit)
        }
        var samples = [Float](repeating: 0, count: seconds * sampleRate)
        var start = 0
        while start < samples.count {
            let length = sampleRate / 8 * (1 + random(below: 3))
            for _ in 0..<2 {
                let hertz = 110 * exp2(Double(random(below: 36)) / 12)
                for frame in start..<min(samples.count, start + 2 * length) {
                    let time = Double(frame - start) / Double(sampleRate)
                    for harmonic in 1...5 {
                        let wave = sin(2 * .pi * hertz * Double(harmonic) * time)
                        samples[frame] += Float(0.15 * wave * exp(-6 * time) / Double(harmonic))
                    }
                }
            }
            start += length
        }
        return samples
    }

    /// Samples in a buffer.
    package static func buffer(_ samples: some Collection<Float>) -> AVAudioPCMBuffer {
        let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(samples.count))!
        buffer.frameLength = buffer.frameCapacity
        for (place, sample) in samples.enumerated() { buffer.floatChannelData![0][place] = sample }
        return buffer
    }

    /// The signature of samples.
    package static func signature(_ samples: some Collection<Float>) throws -> SHSignature {
        let generator = SHSignatureGenerator()
        try generator.append(buffer(samples), at: nil)
        return generator.signature()
    }

    /// Writes samples as a WAV file.
    package static func write(_ samples: some Collection<Float>, to url: URL) throws {
        let file = try AVAudioFile(forWriting: url, settings: format.settings)
        try file.write(from: buffer(samples))
        file.close()
    }
}
