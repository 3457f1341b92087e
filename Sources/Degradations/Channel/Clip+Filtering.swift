import AudioCore
import SignalProcessing

extension Clip {
    /// Convolves every channel with `response`, whose sample `direct` is at time 0.
    ///
    /// The length and the maps stay. A result above full scale is scaled.
    mutating func convolve(with response: [Float], direct: Int) {
        let count = audio.frameCount
        audio = audio.mapChannels { plane in
            Array(Convolution.convolve(Array(plane), response)[direct..<(direct + count)])
        }
        scaleToFullScale()
    }

    /// The sample rate, which must hold a frequency.
    func sampleRate(holding hertz: Double, for purpose: String) throws -> Double {
        let rate = Double(audio.sampleRate)
        guard hertz < 0.49 * rate else {
            throw DegradationError.unsuitable("\(purpose): \(hertz) Hz is beyond what \(rate) Hz holds")
        }
        return rate
    }
}

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
