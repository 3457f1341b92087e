import Fingerprinting

/// A media item of a recognised reference, with the position in that reference.
///
/// An archived item keeps the position predicted at archiving.
public final class SHMatchedMediaItem: SHMediaItem, @unchecked Sendable {
    /// The reference time at the query's first sample, in seconds; negative if the query begins before the
    /// reference.
    public let matchOffset: TimeInterval
    /// The query's frequency over the reference's, minus 1: 0.05 if 100 Hz became 105 Hz.
    public let frequencySkew: Float
    /// The probability that the query is of this reference, 0…1, if half of all queries are of some
    /// reference.
    public let confidence: Float
    /// Reference seconds per query second, minus 1.
    public let timeSkew: Float
    /// The standard error of ``matchOffset``, in seconds.
    public let matchOffsetError: TimeInterval
    /// The standard error of `frequencySkew`.
    public let frequencySkewError: Float
    /// The standard error of `timeSkew`.
    public let timeSkewError: Float
    /// Other offsets in seconds that fit nearly as well, best first, because the reference repeats.
    public let alternativeOffsets: [TimeInterval]
    /// The reference's identifier in its catalog.
    public let referenceID: String
    /// The match; nil if the item comes from an archive or from properties.
    package let match: Match?
    private let line: PlaybackLine?
    private let archivedOffset: TimeInterval

    /// Makes an item from its properties, for tests and previews.
    ///
    /// The properties `.matchOffset`, `.frequencySkew` and `.confidence` are 0 unless given.
    /// ``predictedCurrentMatchOffset`` stays at the match offset.
    package override init(
        stored: MediaItem, id: UUID? = nil, isIDStored: Bool = false, fault: String? = nil
    ) {
        func number(_ key: SHMediaItemProperty) -> Double {
            (stored[key.rawValue]?.plain as? NSNumber)?.doubleValue ?? 0
        }
        matchOffset = number(.matchOffset)
        frequencySkew = Float(number(.frequencySkew))
        confidence = Float(number(.confidence))
        timeSkew = 0
        matchOffsetError = 0
        frequencySkewError = 0
        timeSkewError = 0
        alternativeOffsets = []
        referenceID = ""
        match = nil
        line = nil
        archivedOffset = matchOffset
        super.init(stored: stored, id: id, isIDStored: isIDStored, fault: fault)
    }

    init(_ item: SHMediaItem, match: Match, line: PlaybackLine) {
        matchOffset = match.offsetSeconds
        frequencySkew = Float(match.frequencySkew)
        confidence = Float(match.confidence)
        timeSkew = Float(match.timeSkew)
        matchOffsetError = match.offsetErrorSeconds
        frequencySkewError = Float(match.frequencySkewError)
        timeSkewError = Float(match.timeSkewError)
        alternativeOffsets = match.alternatives.map(\.offsetSeconds)
        referenceID = match.referenceID
        self.match = match
        self.line = line
        archivedOffset = 0
        super.init(stored: item.stored, id: item.id)
    }

    /// The reference time now, in seconds, extrapolated from the match.
    ///
    /// For a stream, the end of the latest buffer counts as now. For a single query, its end counts as the
    /// time of the call.
    public var predictedCurrentMatchOffset: TimeInterval { line?.now ?? archivedOffset }

    /// The value of a property, including `.matchOffset`, `.frequencySkew` and `.confidence`.
    public override subscript(key: SHMediaItemProperty) -> Any {
        switch key {
        case .matchOffset: NSNumber(value: matchOffset)
        case .frequencySkew: NSNumber(value: frequencySkew)
        case .confidence: NSNumber(value: confidence)
        default: super[key]
        }
    }

    /// Compares identifiers, properties and matches.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMatchedMediaItem else { return false }
        return super.isEqual(object) && matchOffset == other.matchOffset
            && frequencySkew == other.frequencySkew && timeSkew == other.timeSkew
            && confidence == other.confidence && referenceID == other.referenceID
    }

    public override var hash: Int { id.hashValue ^ matchOffset.hashValue }

    /// Adds the item and its match to an archive.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let numbers =
            [
                matchOffset, Double(frequencySkew), Double(confidence), Double(timeSkew), matchOffsetError,
                Double(frequencySkewError), Double(timeSkewError), predictedCurrentMatchOffset,
            ] + alternativeOffsets
        coder.encode(numbers.map { NSNumber(value: $0) } as NSArray, forKey: Self.numbersKey)
        coder.encode(referenceID as NSString, forKey: Self.referenceKey)
    }

    /// Reads an item from an archive; nil if it has none.
    public required init?(coder: NSCoder) {
        let classes: [AnyClass] = [NSArray.self, NSNumber.self]
        let numbers =
            (coder.decodeObject(of: classes, forKey: Self.numbersKey) as? [NSNumber])?.map(\.doubleValue)
        guard let numbers, numbers.count >= 8,
            let reference = coder.decodeObject(of: NSString.self, forKey: Self.referenceKey) as String?
        else { return nil }
        matchOffset = numbers[0]
        frequencySkew = Float(numbers[1])
        confidence = Float(numbers[2])
        timeSkew = Float(numbers[3])
        matchOffsetError = numbers[4]
        frequencySkewError = Float(numbers[5])
        timeSkewError = Float(numbers[6])
        archivedOffset = numbers[7]
        alternativeOffsets = Array(numbers[8...])
        referenceID = reference
        match = nil
        line = nil
        super.init(coder: coder)
    }

    private static let numbersKey = "match"
    private static let referenceKey = "reference"
}
