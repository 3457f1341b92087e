import Foundation

/// Finds a key that an object of valid JSON has twice; readers of JSON differ in which value counts.
struct RepeatedKey {
    private let bytes: [UInt8]
    /// The keys of the objects that are open; nil for a list.
    private var open: [Set<String>?] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The first one; nil if there is none.
    mutating func find() -> String? {
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "["): open.append(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let end = endOfString(at: place)
                if isKey(before: end), let key = repeated(bytes[place..<end]) { return key }
                place = end
                continue
            default: break
            }
            place += 1
        }
        return nil
    }

    private func endOfString(at start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, bytes.count)
    }

    private func isKey(before end: Int) -> Bool {
        bytes[end...].first { !Array(" \t\r\n".utf8).contains($0) } == UInt8(ascii: ":")
    }

    private mutating func repeated(_ text: ArraySlice<UInt8>) -> String? {
        // Escapes spell one key in several ways.
        guard let key = try? JSONDecoder().decode(String.self, from: Data(text)), let last = open.indices.last
        else { return nil }
        return open[last]?.insert(key).inserted == false ? key : nil
    }
}
