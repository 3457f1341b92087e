/// Samples in frame order (left, right, left, right, …), lent by their decoder for one call.
public enum InterleavedSamples {
    /// Samples of the nominal range −1…1.
    case float(UnsafeBufferPointer<Float>)
    /// Samples of the range −32,768…32,767 for −1 ≤ x < 1.
    case int16(UnsafeBufferPointer<Int16>)

    /// The factor from a 16-bit integer to a float.
    public static let int16Scale: Float = 0x1p-15

    /// The number of samples of all channels together.
    public var count: Int {
        switch self {
        case .float(let samples): samples.count
        case .int16(let samples): samples.count
        }
    }

    /// Some of the samples.
    package subscript(range: Range<Int>) -> InterleavedSamples {
        switch self {
        case .float(let samples): .float(UnsafeBufferPointer(rebasing: samples[range]))
        case .int16(let samples): .int16(UnsafeBufferPointer(rebasing: samples[range]))
        }
    }

    /// Copies each channel as floats to its plane; planes begin `stride` samples apart.
    package func copy(to planes: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int) {
        let frames = count / channelCount
        for channel in 0..<channelCount {
            let plane = planes + channel * stride
            switch self {
            case .float(let samples):
                for frame in 0..<frames { plane[frame] = samples[frame * channelCount + channel] }
            case .int16(let samples):
                for frame in 0..<frames {
                    plane[frame] = Float(samples[frame * channelCount + channel]) * Self.int16Scale
                }
            }
        }
    }
}
