internal import CSndfile

/// A container, codec and quality, by a name such as "wav-pcm16" or "mp3-64k".
///
/// libsndfile encodes most, and `ffmpeg` those that it lacks, where it is installed with their encoder.
///
/// Most encodings add no delay. Opus at low bitrates is up to 50 µs early. MP3 without a LAME tag is 1105 samples late,
/// 576 of the encoder and 529 of the decoder. Frames below about 190 bytes have no such tag, that is 16 kbit/s, and
/// 32 kbit/s from 16 kHz on. Block codecs fill their last block, so decoding may give more frames than were encoded.
package struct AudioEncoding: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The usual file extension, without a dot.
    package let fileExtension: String
    package let maxChannels: Int

    let coder: Coder
    let rates: Rates

    package init?(_ name: String) {
        guard let encoding = Self.byName[name] else { return nil }
        self = encoding
    }

    /// All encodings, by falling quality within each family.
    package static let all: [AudioEncoding] = wave + lossless + vorbis + opus + mp3 + calls + aac + bluetooth

    package var description: String { name }

    /// Whether the codec accepts `sampleRate`, in hertz.
    package func takes(sampleRate: Int) -> Bool {
        switch rates {
        case .range(let range): range.contains(sampleRate)
        case .list(let list): list.contains(sampleRate)
        }
    }

    /// The accepted rate nearest to `hertz`; nil if none is within a tenth of it.
    ///
    /// A codec of calls has one rate, to which telephones resample.
    package func nearestRate(to hertz: Int) -> Int? {
        if case .list(let list) = rates, list.count == 1 { return list[0] }
        let nearest: Int?
        switch rates {
        case .range(let range): nearest = min(range.upperBound, max(range.lowerBound, hertz))
        case .list(let list): nearest = list.min { abs($0 - hertz) < abs($1 - hertz) }
        }
        guard let nearest, abs(nearest - hertz) * 10 <= hertz else { return nil }
        return nearest
    }

    /// The program that encodes, with its version; nil if a library of this process does.
    package var program: String? {
        guard case .program(let codec) = coder else { return nil }
        return "ffmpeg \(AudioLibraryVersions.ffmpeg ?? "that is not installed")"
            + (absence == nil ? "" : " without \(codec.encoder)")
    }

    /// Why this machine cannot encode it; nil if it can.
    package var absence: String? {
        guard case .program(let codec) = coder, !ForeignCodec.encoders.contains(codec.encoder) else {
            return nil
        }
        guard let version = AudioLibraryVersions.ffmpeg else {
            return "\(name) needs the program ffmpeg, which is not installed"
        }
        return "\(name) needs the encoder \(codec.encoder), which ffmpeg \(version) does not have"
    }

    package var sampleRatesText: String {
        switch rates {
        case .range(let range): "\(range.lowerBound) to \(range.upperBound) Hz"
        case .list(let list): list.map(String.init).joined(separator: ", ") + " Hz"
        }
    }

    /// What encodes it.
    enum Coder: Hashable {
        case library(Library)
        case program(ForeignCodec)
    }

    /// What libsndfile needs to know.
    struct Library: Hashable {
        let format: Int32
        let samples: Samples
        let quality: Quality
        /// The factor before rounding to integers.
        let gain: Float
    }

    /// The type of the samples that the codec gets.
    enum Samples: Hashable {
        case float
        case integer(bits: Int)
    }

    enum Quality: Hashable {
        case fixed
        case variable(Double)
        case opus(kilobits: Int)
        case mp3(kilobits: Int)
    }

    /// In hertz.
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
        self.rates = rates
        coder = .library(
            Library(format: Int32(container) | Int32(codec), samples: samples, quality: quality, gain: gain))
    }

    init(_ name: String, _ codec: ForeignCodec, rates: [Int], maxChannels: Int) {
        self.name = name
        fileExtension = codec.format
        self.maxChannels = maxChannels
        self.rates = .list(rates)
        coder = .program(codec)
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
