extension Query {
    /// The query as a signature that can be stored and looked up again.
    public var signature: Signature {
        let contrast = SpectralContrast(spectrogram: spectrogram)
        let peaks =
            hasHeights
            ? self.peaks
            : self.peaks.map { peak in
                let height = contrast.height(
                    frame: Float(peak.time) / Float(FrequencyScale.steps),
                    bin: Float(peak.frequency) / Float(FrequencyScale.steps))
                return Peak(
                    time: peak.time, frequency: peak.frequency, rank: peak.rank,
                    height: height.map { Peak.height(log2: $0) } ?? 0)
            }
        return Signature(
            peaks: peaks, frameCount: Int((durationSeconds * 8000).rounded()), sampleRate: 8000,
            keptRanks: Self.keptRanks, channelsCancel: channelsCancel, hasHeights: true,
            analysisIdentity: analysisIdentity)
    }
}
