// swift-format-ignore-file
import ShazamKit

struct Screen { var title: String?; var question: Int? }
extension SHMediaItemProperty { static let question = SHMediaItemProperty("question") }
extension SHMatch {
    var screen: Screen {
        mediaItems.reduce(into: Screen()) { acc, item in
            acc.title = acc.title ?? item.title
            acc.question = acc.question ?? (item[.question] as? Int)
        }
    }
}
func timedItems() -> [SHMediaItem] {
    let whole = SHMediaItem(properties: [.title: "Episode 4"])
    let q1 = SHMediaItem(properties: [.question: 1, .timeRanges: [14.0..<31.0]])
    let chorus = SHMediaItem(properties: [.title: "Chorus", .timeRanges: [60.0..<90.0, 180.0..<210.0]])
    let ranges: [Range<TimeInterval>] = chorus.timeRanges
    precondition(ranges.contains { $0.contains(61) } && whole.timeRanges.isEmpty)
    return [whole, q1, chorus]
}
