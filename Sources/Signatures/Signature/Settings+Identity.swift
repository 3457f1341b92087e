import AudioCore

extension Settings.Analysis {
    /// Equal for analyses whose peaks can be compared.
    ///
    /// The bass does not count: its peaks are beside those of the other bands, so either side may lack them.
    public var identity: UInt64 {
        var hash = StableHash()
        hash.combine("peaks 3")
        for number in [
            Double(sampleRate), Double(windowSize), Double(hopSize), Double(neighbourBins),
            Double(neighbourFrames),
            max(lowestHertz, Band.low.hertz.lowerBound), highestHertz, Double(silencePower),
            Double(envelopeWeight), Double(envelopeFrames),
            Double(rankFrames), Double(rankOctaves),
        ] {
            hash.combine(number.bitPattern)
        }
        return hash.value
    }
}
