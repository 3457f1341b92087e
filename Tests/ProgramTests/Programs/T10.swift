// swift-format-ignore-file
import ShazamKit

func skewed() -> SHMediaItem {
    let range: Range<Float> = 0.03..<0.04
    return SHMediaItem(properties: [.title: "Director's cut", .frequencySkewRanges: [range]])
}
func isDirectorsCut(_ item: SHMatchedMediaItem) -> Bool {
    let declared: [Range<Float>] = item.frequencySkewRanges
    return declared.contains { $0.contains(item.frequencySkew) } && abs(item.frequencySkew) < 0.05
}
