import Fingerprinting

/// A media item of a reference that was recognised, with where in the reference that was.
///
/// What it adds to the item belongs to one match. In an archive it keeps the position that was predicted when it was
/// archived, and that no longer moves.
public final class SHMatchedMediaItem: SHMediaItem, @unchecked Sendable {
    /// The reference time in seconds heard at the query's first sample; negative when the query began before the
    /// reference did.
    public let matchOffset: TimeInterval
    /// By how much frequencies are higher than the reference's: 0.05 where 100 Hz are heard at 105 Hz.
    public let frequencySkew: Float
    /// The probability that the query is of this reference, 0…1, were one query in two of some reference.
    public let confidence: Float
    /// By how much the query runs faster than the reference: reference seconds per query second, less 1.
    public let timeSkew: Float
    /// The standard error of `matchOffset`, in seconds.
    public let matchOffsetError: TimeInterval
    /// The standard error of `frequencySkew`.
    public let frequencySkewError: Float
    /// The standard error of `timeSkew`.
    public let timeSkewError: Float
    /// Other reference times in seconds that fit the query nearly as well, best first: the reference repeats itself.
    public let alternativeOffsets: [TimeInterval]
    /// The identifier of the reference in its catalog.
    public let referenceID: String
    private let line: PlaybackLine?
    private let archivedOffset: TimeInterval

    /// Takes an item, the match of its reference, and where the playback is.
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
        self.line = line
        archivedOffset = 0
        super.init(stored: item.stored, id: item.id)
    }

    /// The reference time in seconds that is heard now, as far as the playback goes on as it was heard last.
    ///
    /// Of a stream it follows the stream's own time: the end of the audio given last is heard as it is given. Of a
    /// single query it begins with the query's end when the query was handed over.
    public var predictedCurrentMatchOffset: TimeInterval { line?.now ?? archivedOffset }

    /// The value of a property; those of the match are `.matchOffset`, `.frequencySkew` and `.confidence`.
    public override subscript(key: SHMediaItemProperty) -> Any {
        switch key {
        case .matchOffset: matchOffset
        case .frequencySkew: frequencySkew
        case .confidence: confidence
        default: super[key]
        }
    }

    /// Whether the other object is an item with the same identifier and properties, and of an equal match.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMatchedMediaItem else { return false }
        return super.isEqual(object) && matchOffset == other.matchOffset
            && frequencySkew == other.frequencySkew && timeSkew == other.timeSkew
            && confidence == other.confidence && referenceID == other.referenceID
    }

    /// A hash of identifier and offset.
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

    /// Reads an item from an archive; nil when the archive holds none.
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
        line = nil
        super.init(coder: coder)
    }

    private static let numbersKey = "match"
    private static let referenceKey = "reference"
}
