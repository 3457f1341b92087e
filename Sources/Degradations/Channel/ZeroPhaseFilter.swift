import AudioCore
import SignalProcessing

extension AudioBuffer {
    /// Filters every channel forward and then backward, so that no frequency is delayed.
    ///
    /// The response is the square of the cascade's magnitude: twice its decibels.
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
