import Fingerprinting
import SystemIO

struct TableColumn: Hashable {
    let key: String
    /// Nil if the header declares no type of a custom property; the column's cells then determine it.
    let type: CellType?

    init(key: String, type: CellType?) {
        self.key = key
        self.type = type
    }

    /// Parses a header cell.
    /// - Throws: `CellType.Mistake`, the expected form.
    init(header cell: String) throws(CellType.Mistake) {
        let isControl = { (character: Character) in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        if let place = cell.firstIndex(where: isControl) {
            throw CellType.Mistake(
                "the name of a property without control characters",
                at: cell.distance(from: cell.startIndex, to: place))
        }
        guard let colon = cell.lastIndex(of: ":") else {
            try self.init(untyped: cell)
            return
        }
        let name = String(cell[cell.index(after: colon)...])
        guard let type = CellType.declarable.first(where: { $0.rawValue == name }) else {
            throw CellType.Mistake(
                "a type after the colon: \(CellType.declarable.map(\.rawValue).joined(separator: ", "))",
                at: cell.distance(from: cell.startIndex, to: colon) + 1)
        }
        guard colon != cell.startIndex else {
            throw CellType.Mistake("the name of a property before the colon")
        }
        self.init(key: String(cell[..<colon]), type: type)
    }

    private init(untyped key: String) throws(CellType.Mistake) {
        guard !key.isEmpty else { throw CellType.Mistake("the name of a property") }
        self.init(key: key, type: CellType.builtIn(SHMediaItemProperty(key)))
        guard type == nil else { return }
        let alike = Self.builtInKeys.first { $0.lowercased() == key.lowercased() }
        if let alike {
            throw CellType.Mistake("\"\(alike)\", or \"\(key):text\" for a property of your own")
        }
    }

    /// The key of the column that names the reference of a row, which is no property.
    static let referenceKey = "reference"

    /// The built-in properties of tables and the types of their cells, in order of columns.
    ///
    /// An entry is all that a property needs in tables: what reads, writes and explains them goes by this list.
    static let builtIn: KeyValuePairs<SHMediaItemProperty, CellType> = [
        .title: .text, .subtitle: .text, .artist: .text, .shazamID: .text, .timeRanges: .timeRanges,
        .frequencySkewRanges: .frequencySkewRanges, .genres: .genres, .explicitContent: .bool,
        .creationDate: .date, .ISRC: .text, .appleMusicID: .text, .webURL: .url, .appleMusicURL: .url,
        .artworkURL: .url, .videoURL: .url, SHMediaItemProperty(MediaItem.idKey): .mediaItemID,
        SHMediaItemProperty(referenceKey): .reference,
    ]

    static let builtInKeys = builtIn.map(\.key.rawValue)

    /// The built-in property that a property of one's own was perhaps meant to be.
    var builtInNearby: String? {
        type == nil ? Self.builtInKeys.nearest(to: key) : nil
    }

    var header: String {
        if let builtIn = CellType.builtIn(SHMediaItemProperty(key)), builtIn == type { return key }
        return type.map { "\(key):\($0.rawValue)" } ?? key
    }

    /// Parses a non-empty cell of the column's type.
    /// - Throws: `CellType.Mistake`, the expected form.
    func value(of cell: String, as type: CellType) throws(CellType.Mistake) -> MediaItem.Value {
        let value: MediaItem.Value
        do { value = try type.value(of: cell) } catch {
            guard self.type == nil else { throw error }
            throw CellType.Mistake("\(error.expected), or a column headed \"\(key):text\"", at: error.place)
        }
        guard MediaItem.accepts(value, forKey: key) else { throw CellType.Mistake("ranges of numbers") }
        return value
    }
}
