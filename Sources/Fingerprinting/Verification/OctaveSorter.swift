/// Peaks put on shelves of a thirty-second of an octave each, so that those of about one frequency are found at once.
struct OctaveSorter: Sendable {
    /// A peak on its shelf.
    struct ShelvedPeak: Sendable {
        /// The time in frames.
        var frames: Float
        /// The frequency in octaves above one bin.
        var octaves: Float
        /// Its place in the order of time.
        var place: Int32
    }

    private static let lowestOctave: Float = 5
    private static let shelvesPerOctave: Float = 32
    private static let shelves = 160

    private var peaks: [ShelvedPeak] = []
    /// Where each shelf starts; one more marks the end.
    private var starts = [Int32](repeating: 0, count: OctaveSorter.shelves + 1)

    /// The shelf of a frequency; what lies below the lowest or above the highest is on those.
    @inline(__always)
    static func shelf(of octaves: Float) -> Int {
        // In the lowest bits of a number near 2^23 stands its whole part: quicker than a checked conversion.
        let place = min(max((octaves - lowestOctave) * shelvesPerOctave, 0), Float(shelves - 1))
        return min(Int((place + 0x1p23).bitPattern & 0xFF), shelves - 1)
    }

    /// Sorts peaks given in order of time, which each shelf keeps.
    mutating func sort(times: [Float], octaves: [Float]) {
        let empty = ShelvedPeak(frames: 0, octaves: 0, place: 0)
        peaks.removeAll(keepingCapacity: true)
        peaks.append(contentsOf: repeatElement(empty, count: times.count))
        starts.withUnsafeMutableBufferPointer { starts in
            peaks.withUnsafeMutableBufferPointer { peaks in
                for shelf in starts.indices { starts[shelf] = 0 }
                for octave in octaves { starts[Self.shelf(of: octave)] += 1 }
                // From counts to ends; filling from the last peak to the first turns ends into starts.
                var end: Int32 = 0
                for shelf in starts.indices {
                    end += starts[shelf]
                    starts[shelf] = end
                }
                for place in times.indices.reversed() {
                    let shelf = Self.shelf(of: octaves[place])
                    starts[shelf] -= 1
                    peaks[Int(starts[shelf])] = ShelvedPeak(
                        frames: times[place], octaves: octaves[place], place: Int32(place))
                }
            }
        }
    }

    /// Lends the peaks, shelf by shelf.
    @inline(__always)
    func withPeaks(
        _ body: (_ peaks: UnsafeBufferPointer<ShelvedPeak>, _ starts: UnsafeBufferPointer<Int32>) -> Void
    ) {
        peaks.withUnsafeBufferPointer { peaks in
            starts.withUnsafeBufferPointer { starts in body(peaks, starts) }
        }
    }
}
