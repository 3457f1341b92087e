import AudioCore

/// Converts audio to rows of power of every band, block by block, in a fixed amount of memory.
///
/// Downmix → 16 kHz → 8 kHz → 4 kHz → 2 kHz, and the spectrum of each. Audio that has nothing in the high band begins at
/// 8 kHz. The same audio gives the same rows however it is cut into blocks.
package struct SpectrumStream {
    package let sampleRate: Int
    private var downmix: Downmix
    private var cascade: BandCascade

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate outside `Signature.sampleRates`.
    package init(
        _ settings: Settings.Analysis, sampleRate: Int, channelCount: Int, fft: FramePairFFT,
        mix: ChannelMix = .mean, gain: Float = 1
    ) throws {
        let rates = Signature.sampleRates
        guard rates.contains(sampleRate) else {
            throw FingerprintingError(
                .unsupportedFormat,
                "a sample rate of \(sampleRate) Hz cannot be analysed, only \(rates.lowerBound)…\(rates.upperBound) Hz"
            )
        }
        self.sampleRate = sampleRate
        downmix = Downmix(channelCount: channelCount, mix: mix, gain: gain)
        cascade = BandCascade(settings, sampleRate: sampleRate, fft: fft)
    }

    package var channelCount: Int { downmix.channelCount }
    package var channelsCancel: Bool { downmix.channelsCancel }
    package var channelsOppose: Bool { downmix.channelsOppose }
    package var channelsOpposeLately: Bool { downmix.channelsOpposeLately }
    /// The mean power of a channel, without constant offsets.
    package var meanPower: Double { downmix.meanChannelPower }
    package var frameCount: Int { downmix.frameCount }

    /// Takes the next block and passes on every complete row, with its band.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    package mutating func append(_ audio: AudioBuffer, _ row: (Band, UnsafePointer<Float>) -> Void)
        throws
    {
        guard audio.sampleRate == sampleRate, audio.channelCount == downmix.channelCount else {
            throw FingerprintingError(
                .unsupportedFormat,
                "audio changed from \(downmix.channelCount) channels at \(sampleRate) Hz to \(audio.channelCount)"
                    + " at \(audio.sampleRate) Hz")
        }
        try SampleFrames.with(audio) { try append($0, row) }
    }

    /// Takes the next block of a file, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    package mutating func append(_ samples: InterleavedSamples, _ row: (Band, UnsafePointer<Float>) -> Void)
        throws
    {
        guard let frames = SampleFrames(samples, channelCount: downmix.channelCount) else { return }
        try append(frames, row)
    }

    /// Takes the next block, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    package mutating func append(_ frames: SampleFrames, _ row: (Band, UnsafePointer<Float>) -> Void) throws {
        try Self.feed(frames, &downmix, &cascade, row)
    }

    package mutating func finish(_ row: (Band, UnsafePointer<Float>) -> Void) throws {
        try Self.flush(&downmix, &cascade, row)
        cascade.finish(row)
    }

    // These take the stages one by one: a closure over `self` would need exclusive access to all of it.

    private static func feed(
        _ frames: SampleFrames, _ downmix: inout Downmix, _ cascade: inout BandCascade,
        _ row: (Band, UnsafePointer<Float>) -> Void
    ) throws {
        try downmix.append(frames) { cascade.append($0, row) }
    }

    private static func flush(
        _ downmix: inout Downmix, _ cascade: inout BandCascade,
        _ row: (Band, UnsafePointer<Float>) -> Void
    ) throws {
        try downmix.finish { cascade.append($0, row) }
    }
}

/// The bands from high to low: each stage takes the samples of the one before.
private struct BandCascade {
    private struct Stage {
        let band: Band
        var decimator: Decimator
        var rows: SpectrumRows

        /// Takes samples of the stage before, and passes on its own and then its rows.
        mutating func append(
            _ block: UnsafeBufferPointer<Float>, isLast: Bool, samples: (UnsafeBufferPointer<Float>) -> Void,
            row: (Band, UnsafePointer<Float>) -> Void
        ) {
            let made = rows.samples.count
            decimator.append(block, to: &rows.samples)
            if isLast { decimator.finish(to: &rows.samples) }
            rows.samples.withUnsafeBufferPointer { samples(UnsafeBufferPointer(rebasing: $0[made...])) }
            if isLast { rows.finish { row(band, $0) } } else { rows.analyse { row(band, $0) } }
        }
    }
    private var stages: [Stage] = []

    init(_ settings: Settings.Analysis, sampleRate: Int, fft: FramePairFFT) {
        var rate = sampleRate
        for band in settings.analysedBands(inputRate: sampleRate).reversed() {
            stages.append(
                Stage(
                    band: band, decimator: Decimator(inputRate: rate, outputRate: band.sampleRate),
                    rows: SpectrumRows(settings, band: band, fft: fft)))
            rate = band.sampleRate
        }
    }

    mutating func append(_ block: UnsafeBufferPointer<Float>, _ row: (Band, UnsafePointer<Float>) -> Void) {
        stages.withUnsafeMutableBufferPointer { Self.append(block, isLast: false, to: $0[...], row) }
    }

    mutating func finish(_ row: (Band, UnsafePointer<Float>) -> Void) {
        let nothing = UnsafeBufferPointer<Float>(start: nil, count: 0)
        stages.withUnsafeMutableBufferPointer { Self.append(nothing, isLast: true, to: $0[...], row) }
    }

    private static func append(
        _ block: UnsafeBufferPointer<Float>, isLast: Bool,
        to stages: Slice<UnsafeMutableBufferPointer<Stage>>,
        _ row: (Band, UnsafePointer<Float>) -> Void
    ) {
        guard let place = stages.indices.first else { return }
        stages.base[place].append(
            block, isLast: isLast, samples: { append($0, isLast: isLast, to: stages.dropFirst(), row) },
            row: row)
    }
}
