import AudioCore
import SignalProcessing

extension Clip {
    /// Convolves every channel with `response`, whose sample `direct` takes the place of the dry sound.
    ///
    /// The length stays, so the truth is that of the direct path; a sum above full scale is scaled.
    mutating func convolve(with response: [Float], direct: Int) {
        let count = audio.frameCount
        audio = audio.mapChannels { plane in
            Array(Convolution.convolve(Array(plane), response)[direct..<(direct + count)])
        }
        scaleToFullScale()
    }
}
