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
}
