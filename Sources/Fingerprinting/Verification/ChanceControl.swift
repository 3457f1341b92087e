/// How many query peaks have a partner in the reference, and how many have one by chance.
///
/// The same count at 16 shifts of time measures chance. So it accounts for the key, tempo and density of the passage.
struct Evidence: Sendable {
    /// Query peaks within the reference's length.
    var peaks = 0
    /// Of these, peaks with a partner.
    var matchedPeaks = 0
    var chanceOfPeak: Float = 0
    /// Variance over mean of the chance counts: above 1 for loops and chords.
    var dispersion: Float = 1
    /// Slots of time with a query peak within the reference's length.
    var slots = 0
    /// Of these, slots with a matched peak.
    var matchedSlots = 0
    var chanceOfSlot: Float = 0
    /// Mean square distance of matched peaks from their prediction, in frames squared.
    var meanSquareFrames: Float = 0
    /// Mean square distance of matched peaks from their prediction, in bins squared.
    var meanSquareBins: Float = 0
}

/// Counts matched peaks at the right place and at shifts of time.
enum ChanceControl {
    // The shifts in frames: 8 on each side, 2.3 … 16.
    private static let firstShift: Float = 2.3
    private static let shiftStep: Float = 13.7 / 7

    /// The shift, 0 … 15, with `late` in its box, or nil; boxes do not overlap.
    @inline(__always)
    private static func shift(near late: Float, within box: Float) -> Int? {
        let place = Int(max(0, (abs(late) - firstShift) / shiftStep + 0.5))
        guard place < 8, abs(abs(late) - firstShift - Float(place) * shiftStep) <= box else { return nil }
        return 2 * place + (late < 0 ? 0 : 1)
    }

    /// The largest delay of a pair that counts, in frames.
    static func reach(_ settings: Settings.Verification) -> Float { 16 + settings.boxFrames + 0.01 }

    /// Counts the pairs of `alignment` within `reach`.
    ///
    /// - Parameter span: The frames of the reference, counted from the candidate's reference frame.
    static func count(
        _ pairs: [PeakPair], query: QueryPeaks, queryFrame: Int, _ alignment: Alignment,
        span: ClosedRange<Float>, settings: Settings.Verification
    ) -> Evidence {
        var evidence = Evidence()
        var peakCounts = [Int](repeating: 0, count: 16)
        var slotCounts = [Int](repeating: 0, count: 16)
        var next = 0
        var slot = Int.min
        var slotMask: UInt32 = 0
        func closeSlot() {
            guard slot != .min else { return }
            evidence.slots += 1
            if slotMask & 1 != 0 { evidence.matchedSlots += 1 }
            for shift in 0..<16 where slotMask & (2 << UInt32(shift)) != 0 { slotCounts[shift] += 1 }
        }
        for index in 0..<query.count {
            let frame = query.frames.base[index]
            let time = alignment.shift + (1 + alignment.timeSkew) * (frame - Float(queryFrame))
            guard span.contains(time) else {
                while next < pairs.count, Int(pairs[next].query) <= index { next += 1 }
                continue
            }
            evidence.peaks += 1
            let ownSlot = Int(frame) / settings.slotFrames
            if ownSlot != slot {
                closeSlot()
                slot = ownSlot
                slotMask = 0
            }
            var mask: UInt32 = 0
            var nearest = Float.infinity
            var nearestFrames: Float = 0
            var nearestBins: Float = 0
            while next < pairs.count, Int(pairs[next].query) <= index {
                let late = pairs[next].delay
                if abs(late) <= settings.boxFrames {
                    mask |= 1
                    let bins = pairs[next].octaves * pairs[next].bins * NaturalLogarithmOf2.sixDigitsSingle
                    let distance =
                        late * late / (settings.boxFrames * settings.boxFrames)
                        + bins * bins / (settings.boxBins * settings.boxBins)
                    if distance < nearest {
                        nearest = distance
                        nearestFrames = late * late
                        nearestBins = bins * bins
                    }
                } else if let shift = shift(near: late, within: settings.boxFrames) {
                    mask |= 2 << UInt32(shift)
                }
                next += 1
            }
            guard mask != 0 else { continue }
            slotMask |= mask
            if mask & 1 != 0 {
                evidence.matchedPeaks += 1
                evidence.meanSquareFrames += nearestFrames
                evidence.meanSquareBins += nearestBins
            }
            for shift in 0..<16 where mask & (2 << UInt32(shift)) != 0 { peakCounts[shift] += 1 }
        }
        closeSlot()
        evidence.summarise(peakCounts: peakCounts, slotCounts: slotCounts)
        return evidence
    }
}

extension Evidence {
    fileprivate mutating func summarise(peakCounts: [Int], slotCounts: [Int]) {
        let mean = Float(peakCounts.reduce(0, +)) / 16
        let squares = peakCounts.reduce(Float(0)) { $0 + (Float($1) - mean) * (Float($1) - mean) }
        chanceOfPeak = mean / Float(max(peaks, 1))
        dispersion = mean > 0 ? squares / 16 / mean : 1
        chanceOfSlot = Float(slotCounts.reduce(0, +)) / 16 / Float(max(slots, 1))
        meanSquareFrames /= Float(max(matchedPeaks, 1))
        meanSquareBins /= Float(max(matchedPeaks, 1))
    }
}
