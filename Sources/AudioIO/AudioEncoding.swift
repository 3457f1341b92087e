internal import CSndfile

/// One way to store audio in a file: container, codec and quality, by a name such as "wav-pcm16" or "mp3-64k".
///
/// An encoded and decoded signal is not late, but for Opus' low bitrates (50 µs early at most) and for MP3 whose frames
/// are too small for a LAME tag (below about 190 bytes: 32 kbit/s from 16 kHz on, and 16 kbit/s): those decode 1105 samples
/// late, 576 from the encoder and 529 from the decoder. Block codecs fill up their last block, so that decoding may give
/// some more frames than were encoded. Codes as its name.
public struct AudioEncoding: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The usual file extension, without a dot.
    public let fileExtension: String
    /// The most channels the codec takes.
    public let maxChannels: Int

    let format: Int32
    let samples: Samples
    let quality: Quality
    /// What samples are multiplied by before they are rounded to integers.
    let gain: Float
    let rates: Rates

    /// The encoding called `name`; nil when there is none.
    public init?(_ name: String) {
        guard let encoding = Self.byName[name] else { return nil }
        self = encoding
    }

    /// All encodings, from exact to coarse within each family.
    public static let all: [AudioEncoding] = wave + lossless + vorbis + opus + mp3

    /// The name.
    public var description: String { name }

    /// Whether the codec takes `sampleRate`, in hertz.
    public func takes(sampleRate: Int) -> Bool {
        switch rates {
        case .range(let range): range.contains(sampleRate)
        case .list(let list): list.contains(sampleRate)
        }
    }

    /// The rate nearest to `hertz` that the codec takes; nil when none lies within a tenth of it: not offered.
    public func nearestRate(to hertz: Int) -> Int? {
        let nearest: Int?
        switch rates {
        case .range(let range): nearest = min(range.upperBound, max(range.lowerBound, hertz))
        case .list(let list): nearest = list.min { abs($0 - hertz) < abs($1 - hertz) }
        }
        guard let nearest, abs(nearest - hertz) * 10 <= hertz else { return nil }
        return nearest
    }

    /// The rates in words.
    var sampleRatesText: String {
        switch rates {
        case .range(let range): "\(range.lowerBound) to \(range.upperBound) Hz"
        case .list(let list): list.map(String.init).joined(separator: ", ") + " Hz"
        }
    }

    /// How samples are handed to the codec.
    enum Samples: Hashable {
        case float
        case integer(bits: Int)
    }

    /// What steers a lossy codec.
    enum Quality: Hashable {
        case fixed
        case variable(Double)
        case opus(kilobits: Int)
        case mp3(kilobits: Int)
    }

    /// The sample rates a codec takes, in hertz.
    enum Rates: Hashable {
        case range(ClosedRange<Int>)
        case list([Int])
    }

    init(
        _ name: String, _ fileExtension: String, _ container: Int, _ codec: Int, _ samples: Samples,
        _ quality: Quality = .fixed, gain: Float = 1, rates: Rates, maxChannels: Int
    ) {
        self.name = name
        self.fileExtension = fileExtension
        self.maxChannels = maxChannels
        self.samples = samples
        self.quality = quality
        self.gain = gain
        self.rates = rates
        format = Int32(container) | Int32(codec)
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

extension AudioEncoding: Codable {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let encoding = AudioEncoding(name) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "no audio encoding is called \"\(name)\"; there are "
                    + Self.all.map(\.name).joined(separator: ", "))
        }
        self = encoding
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
