// swift-format-ignore-file
import ShazamKit

extension SHMediaItemProperty {
    static let chapter = SHMediaItemProperty("Chapter")
    static let payload = SHMediaItemProperty(rawValue: "org.example.payload")
}
extension SHMediaItem {
    var chapter: Int? { self[.chapter] as? Int }
    var payload: [String: Any]? { self[.payload] as? [String: Any] }
}
func chapterTest() {
    let item = SHMediaItem(properties: [.title: "Intro", .chapter: 7, .payload: ["answer": 42, "tags": ["a", "b"]]])
    let n: Int = item.chapter ?? 0
    let raw: Any = item[.chapter]
    print(n, raw, item[.title] as? String ?? "-", SHMediaItemProperty.chapter.rawValue)
}
