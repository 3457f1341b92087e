/// How many query peaks of a set of bands have a partner in the reference, and how many have one by chance.
///
/// The same count at 16 shifts of time measures chance. So it accounts for the key, tempo and density of the passage.
struct PeakEvidence: Sendable {
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
    /// Mean square distance of matched peaks from their prediction, in frames of their band squared.
    var meanSquareFrames: Float = 0
    /// Mean square distance of matched peaks from their prediction, in bins of their band squared.
    var meanSquareBins: Float = 0
}

/// Counts matched peaks at the right place and at shifts of time, for each of `BandSet.all`.
///
/// Takes the query's peaks in order, part by part.
struct ChanceControl: Sendable {
    // The shifts in frames of the band: 8 on each side, 2.3 … 16.
    private static let firstShift: Float = 2.3
    private static let shiftStep: Float = 13.7 / 7
    private static let present: UInt32 = 1 << 31

    private let alignment: Alignment
    private let queryFrame: Int
    private let span: ClosedRange<Float>
    private let settings: Settings.Verification
    private var tallies = InlineArray<4, Tally>(repeating: Tally())
    private var evidence = [PeakEvidence](repeating: PeakEvidence(), count: BandSet.all.count)
    private var slotCounts = [ShiftCounts](repeating: ShiftCounts(), count: BandSet.all.count)
    private var slot = Int.min
    /// For each band: bit 0 for a match, one bit for each shift, and the top bit for a peak.
    private var masks = SIMD4<UInt32>.zero

    /// Prepares to count at an alignment.
    ///
    /// - Parameter span: The frames of the reference, counted from the candidate's reference frame.
    init(
        _ alignment: Alignment, queryFrame: Int, span: ClosedRange<Float>, settings: Settings.Verification
    ) {
        self.alignment = alignment
        self.queryFrame = queryFrame
        self.span = span
        self.settings = settings
    }

    /// The shift, 0 … 15, with `late` in its box, or nil; boxes do not overlap.
    @inline(__always)
    private static func shift(near late: Float, within box: Float) -> Int? {
        let place = Int(max(0, (abs(late) - firstShift) / shiftStep + 0.5))
        guard place < 8, abs(abs(late) - firstShift - Float(place) * shiftStep) <= box else { return nil }
        return 2 * place + (late < 0 ? 0 : 1)
    }

    /// The largest delay of a pair that counts, in frames of its band.
    static func reach(_ settings: Settings.Verification) -> Float { 16 + settings.boxFrames + 0.01 }

    /// Whether peaks between two query frames may count.
    func mayCount(_ frames: Range<Int>) -> Bool {
        alignment.span(
            from: Float(frames.lowerBound - queryFrame), to: Float(frames.upperBound - queryFrame),
            PairingReach(bins: 0), within: span) != nil
    }

    /// Counts the next peaks of the query, of which `pairs` are those within `reach` of the alignment.
    ///
    /// - Parameter part: The indices of the peaks that count.
    mutating func add(_ pairs: [PeakPair], query: QueryPeaks, _ part: Range<Int>) {
        var next = 0
        for index in part {
            let frame = query.frames.base[index]
            let time = alignment.shift + (1 + alignment.timeSkew) * (frame - Float(queryFrame))
            guard span.contains(time) else {
                while next < pairs.count, Int(pairs[next].query) <= index { next += 1 }
                continue
            }
            let band = query.band(index)
            tallies[band].peaks += 1
            let ownSlot = Int(frame) / settings.slotFrames
            if ownSlot != slot {
                closeSlot()
                slot = ownSlot
                masks = .zero
            }
            var mask = Self.present
            var nearest = Float.infinity
            var nearestFrames: Float = 0
            var nearestBins: Float = 0
            while next < pairs.count, Int(pairs[next].query) <= index {
                let late = pairs[next].delay / pairs[next].frame
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
                } else if let shift = Self.shift(near: late, within: settings.boxFrames) {
                    mask |= 2 << UInt32(shift)
                }
                next += 1
            }
            masks[band] |= mask
            if mask & 1 != 0 { tallies[band].match(frames: nearestFrames, bins: nearestBins) }
            tallies[band].shifted.add(mask)
        }
    }

    /// Ends the query.
    mutating func finish() -> [PeakEvidence] {
        closeSlot()
        for set in BandSet.all.indices {
            var tally = Tally()
            for band in 0..<Band.count where BandSet.all[set].contains(band) { tally.add(tallies[band]) }
            evidence[set].summarise(tally, slotCounts: slotCounts[set].counts)
        }
        return evidence
    }

    private mutating func closeSlot() {
        guard slot != .min else { return }
        for set in BandSet.all.indices {
            var mask: UInt32 = 0
            for band in 0..<Band.count where BandSet.all[set].contains(band) { mask |= masks[band] }
            guard mask & Self.present != 0 else { continue }
            evidence[set].slots += 1
            evidence[set].matchedSlots += Int(mask & 1)
            slotCounts[set].add(mask)
        }
    }
}

/// How often each of the 16 shifts had a match.
private struct ShiftCounts {
    var counts = SIMD16<Int32>.zero

    /// Adds the bits 1 … 16 of a mask.
    @inline(__always)
    mutating func add(_ mask: UInt32) {
        var left = mask >> 1 & 0xFFFF
        while left != 0 {
            counts[left.trailingZeroBitCount] &+= 1
            left &= left &- 1
        }
    }
}

/// The counts of one band, or of a set of them.
private struct Tally {
    var peaks = 0
    var matched = 0
    var squareFrames: Float = 0
    var squareBins: Float = 0
    var shifted = ShiftCounts()

    mutating func match(frames: Float, bins: Float) {
        matched += 1
        squareFrames += frames
        squareBins += bins
    }

    mutating func add(_ other: Tally) {
        peaks += other.peaks
        matched += other.matched
        squareFrames += other.squareFrames
        squareBins += other.squareBins
        shifted.counts &+= other.shifted.counts
    }
}

extension PeakEvidence {
    fileprivate mutating func summarise(_ tally: Tally, slotCounts: SIMD16<Int32>) {
        peaks = tally.peaks
        matchedPeaks = tally.matched
        let counts = SIMD16<Float>(tally.shifted.counts)
        let mean = counts.sum() / 16
        let deviations = counts - mean
        chanceOfPeak = mean / Float(max(peaks, 1))
        dispersion = mean > 0 ? (deviations * deviations).sum() / 16 / mean : 1
        chanceOfSlot = Float(slotCounts.wrappedSum()) / 16 / Float(max(slots, 1))
        meanSquareFrames = tally.squareFrames / Float(max(matchedPeaks, 1))
        meanSquareBins = tally.squareBins / Float(max(matchedPeaks, 1))
    }
}
