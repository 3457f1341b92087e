import Fingerprinting

/// Compares signatures of the same audio made on different processors, and prints how many peaks differ.
///
/// Arguments: pairs of signature files. It fails when more than 1 peak in 100 has no counterpart within one stored step.
/// Of two almost equally strong peaks either may be kept.
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

    /// The number of peaks of `a` with none in `b` within `steps` of time and frequency.
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
