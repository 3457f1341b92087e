import Fingerprinting

/// Compares signatures of the same audio, made on different processors: prints how far their peaks lie apart.
///
/// Arguments: signature files, two and two. Ends with 1 when a peak has moved by more than a step of what is stored, or
/// when more than 1 in 100 has no counterpart: where two are all but equally strong, either may be kept.
@main
struct SignatureDifference {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard !paths.isEmpty, paths.count.isMultiple(of: 2) else { throw Difference.noPairs }
        var (peaks, lone, moved) = (0, 0, 0)
        for place in stride(from: paths.startIndex, to: paths.endIndex, by: 2) {
            let a = try Signature(contentsOf: paths[place])
            let b = try Signature(contentsOf: paths[place + 1])
            peaks += max(a.peaks.count, b.peaks.count)
            lone += max(count(a, unlike: b, steps: 1), count(b, unlike: a, steps: 1))
            moved += count(a, unlike: b, steps: 0)
        }
        print("\(peaks) peaks, \(moved - min(lone, moved)) moved by one step, \(lone) without a counterpart")
        guard peaks > 0, lone * 100 <= peaks else { throw Difference.tooLarge }
    }

    /// How many peaks of `a` have none in `b` within so many steps of time and frequency.
    private static func count(_ a: Signature, unlike b: Signature, steps: Int) -> Int {
        a.peaks.count { peak in
            !b.peaks.contains { other in
                abs(Int(peak.time) - Int(other.time)) <= steps
                    && abs(Int(peak.frequency) - Int(other.frequency)) <= steps
            }
        }
    }

    enum Difference: Error, CustomStringConvertible {
        case noPairs, tooLarge

        var description: String {
            switch self {
            case .noPairs: "expected pairs of signature files"
            case .tooLarge: "the signatures differ by more than a step"
            }
        }
    }
}
