/// An open audio file, or what was decoded from one, that hands out its samples in order.
protocol SampleSource: AnyObject {
    /// The sample rate in hertz, as the header says.
    var sampleRate: Int { get }
    /// The number of channels, as the header says.
    var channelCount: Int { get }
    /// The container and codec in words.
    var formatName: String { get }
    /// How many frames the header promises, which may be anything.
    var expectedFrames: Int { get }
    /// What was found wrong while reading; nil when nothing.
    var complaint: String? { get }

    /// Fills `target` with whole frames, in frame order, and says how many came; 0 at the end.
    func read(into target: UnsafeMutableBufferPointer<Float>) -> Int
}

/// Audio tracks of one rate and channel count, decoded and mixed as their mean.
final class MixedTracks: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let complaint: String? = nil
    var expectedFrames: Int { interleaved.count / channelCount }

    private var interleaved: [Float] = []
    private var position = 0
    private let trackCount: Int

    /// Starts a mix of `trackCount` tracks, silent so far.
    init(sampleRate: Int, channelCount: Int, formatName: String, trackCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.formatName = formatName
        self.trackCount = trackCount
    }

    /// Adds the whole of one track; the mix is as long as the longest.
    func add(_ track: SoundFile) {
        precondition(track.channelCount == channelCount, "tracks of different channel counts")
        let gain = 1 / Float(trackCount)
        var block = [Float](repeating: 0, count: 16_384 * channelCount)
        var start = 0
        while true {
            let frames = block.withUnsafeMutableBufferPointer { track.read(into: $0) }
            guard frames > 0 else { return }
            let end = start + frames * channelCount
            if end > interleaved.count {
                interleaved.append(contentsOf: repeatElement(0, count: end - interleaved.count))
            }
            interleaved.withUnsafeMutableBufferPointer { mix in
                for index in start..<end { mix[index] += gain * block[index - start] }
            }
            start = end
        }
    }

    func read(into target: UnsafeMutableBufferPointer<Float>) -> Int {
        let count = min(target.count, interleaved.count - position) / channelCount * channelCount
        for index in 0..<count { target[index] = interleaved[position + index] }
        position += count
        return count / channelCount
    }
}
