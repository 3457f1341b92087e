/// An open audio file, or decoded audio, that is read in order.
protocol SampleSource: AnyObject {
    var sampleRate: Int { get }
    var channelCount: Int { get }
    /// The container and codec in words.
    var formatName: String { get }
    /// The number of frames of the header, which may be wrong.
    var expectedFrames: Int { get }
    var decodingError: String? { get }

    /// Fills `target` with whole interleaved frames and returns their number; 0 at the end.
    func read(into target: UnsafeMutableBufferPointer<Float>) -> Int
}

/// The mean of decoded audio tracks of one rate and channel count.
final class MixedTracks: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let decodingError: String? = nil
    var expectedFrames: Int { interleaved.count / channelCount }

    private var interleaved: [Float] = []
    private var position = 0
    private let trackCount: Int

    init(sampleRate: Int, channelCount: Int, formatName: String, trackCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.formatName = formatName
        self.trackCount = trackCount
    }

    /// Adds a whole track; the mix is as long as the longest track.
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
