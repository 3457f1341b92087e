/// The release of Earshot that this program belongs to.
public enum Release {
    /// The version: major, minor and patch.
    public static let number = "0.3.0"

    /// What every reader says of a file whose format has a number above its own, after the path and a colon.
    public static var newer: String {
        let parts = number.split(separator: ".").compactMap { Int($0) }
        return "written by Earshot \(parts[0]).\(parts[1] + 1) or later; this is \(number)"
    }

    /// Why a reader of the formats `known` refuses a file with a format of this number; nil if it reads it.
    public static func refusal(ofFormat format: Int, known: ClosedRange<Int>) -> String? {
        if known.contains(format) { return nil }
        let range = "\(known.lowerBound)" + (known.count == 1 ? "" : " to \(known.upperBound)")
        return format > known.upperBound ? newer : "has format \(format); Earshot \(number) reads \(range)"
    }
}
