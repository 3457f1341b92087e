/// Peaks in buckets of 1/32 octave, so that peaks of similar frequency are found at once.
struct OctaveSorter: Sendable {
    struct SortedPeak: Sendable {
        var frames: Float
        /// The frequency in octaves above one bin.
        var octaves: Float
        /// Its index in order of time.
        var place: Int32
    }

    private static let lowestOctave: Float = 4
    private static let bucketsPerOctave: Float = 32
    private static let buckets = 224

    private var peaks: [SortedPeak] = []
    /// The start of each bucket, and the end of the last one.
    private var starts = [Int32](repeating: 0, count: OctaveSorter.buckets + 1)

    /// The bucket of a frequency; those out of range are in the lowest or highest bucket.
    @inline(__always)
    static func bucket(of octaves: Float) -> Int {
        // The lowest bits of a number near 2^23 are its whole part: quicker than a checked conversion.
        let place = min(max((octaves - lowestOctave) * bucketsPerOctave, 0), Float(buckets - 1))
        return min(Int((place + 0x1p23).bitPattern & 0xFF), buckets - 1)
    }

    /// Sorts the peaks of a range; within a bucket they stay in order of time.
    mutating func sort(_ range: Range<Int>, times: [Float], octaves: [Float]) {
        let empty = SortedPeak(frames: 0, octaves: 0, place: 0)
        peaks.removeAll(keepingCapacity: true)
        peaks.append(contentsOf: repeatElement(empty, count: range.count))
        starts.withUnsafeMutableBufferPointer { starts in
            peaks.withUnsafeMutableBufferPointer { peaks in
                for bucket in starts.indices { starts[bucket] = 0 }
                for place in range { starts[Self.bucket(of: octaves[place])] += 1 }
                // From counts to ends; filling from the last peak to the first turns ends into starts.
                var end: Int32 = 0
                for bucket in starts.indices {
                    end += starts[bucket]
                    starts[bucket] = end
                }
                for place in range.reversed() {
                    let bucket = Self.bucket(of: octaves[place])
                    starts[bucket] -= 1
                    peaks[Int(starts[bucket])] = SortedPeak(
                        frames: times[place], octaves: octaves[place], place: Int32(place))
                }
            }
        }
    }

    /// Passes the peaks in order of buckets.
    @inline(__always)
    func withPeaks(
        _ body: (_ peaks: UnsafeBufferPointer<SortedPeak>, _ starts: UnsafeBufferPointer<Int32>) -> Void
    ) {
        peaks.withUnsafeBufferPointer { peaks in
            starts.withUnsafeBufferPointer { starts in body(peaks, starts) }
        }
    }
}
