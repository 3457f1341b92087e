import AudioCore
import SignalProcessing

extension AudioBuffer {
    /// Filters every channel forward and backward, so that there is no delay.
    ///
    /// The response is the squared magnitude of the cascade, twice its decibels.
    func filteredBothWays(_ cascade: BiquadCascade) -> AudioBuffer {
        mapChannels { plane in
            var samples = Array(plane)
            for _ in 0..<2 {
                var filter = cascade
                filter.process(&samples)
                samples.reverse()
            }
            return samples
        }
    }
}
