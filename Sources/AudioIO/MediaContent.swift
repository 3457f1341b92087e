/// The kind of a file, by its magic number.
struct MediaContent: Sendable, Equatable {
    let name: String
    /// Whether ffmpeg may find audio in it.
    let mayHoldAudio: Bool

    /// Enough for the headers before the samples of most files.
    static let headLength = 4096

    private init(_ name: String, mayHoldAudio: Bool = true) {
        self.name = name
        self.mayHoldAudio = mayHoldAudio
    }

    init(of bytes: [UInt8]) {
        func has(_ magic: String, at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(with: magic.unicodeScalars) { $0 == $1.value }
        }
        if has("ftyp", at: 4) {
            self.init(has("M4A", at: 8) ? "MPEG-4 audio" : "an MPEG-4 or QuickTime file")
        } else if has("OggS") {
            // The first page's header is 27 bytes and a segment table of one entry.
            self.init(Self.oggCodecs.first { has($0.magic, at: 28) }?.name ?? "an Ogg file")
        } else if has("RIFF"), has("WEBP", at: 8) {
            self.init("a picture", mayHoldAudio: false)
        } else if has("RIFF") || has("RIFX") || has("RF64") {
            self.init(has("AVI ", at: 8) ? "an AVI video" : has("WAVE", at: 8) ? "a WAV file" : "a RIFF file")
        } else if let magic = Self.sounds.first(where: { has($0.magic) }) {
            self.init(magic.name)
        } else if let magic = Self.others.first(where: { has($0.magic) }) {
            self.init(magic.name, mayHoldAudio: false)
        } else if has("G"), has("G", at: 188) || has("G", at: 376) {
            self.init("an MPEG transport stream")
        } else if has("G", at: 4), has("G", at: 196) {
            self.init("an MPEG transport stream (M2TS)")
        } else if bytes.count >= 2, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 {
            self.init("AAC audio (ADTS)")
        } else if bytes.count >= 2, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 {
            self = .mpegAudio
        } else if Self.isText(bytes) {
            self.init("text", mayHoldAudio: false)
        } else {
            self.init("unknown data")
        }
    }

    private static let oggCodecs: [(magic: String, name: String)] = [
        ("OpusHead", "Ogg Opus audio"), ("\u{01}vorbis", "Ogg Vorbis audio"),
        ("Speex", "Ogg Speex audio"), ("\u{7F}FLAC", "Ogg FLAC audio"),
    ]

    /// The magic numbers of files that may have audio; a character is a byte.
    private static let sounds: [(magic: String, name: String)] = [
        ("fLaC", "a FLAC file"), ("FORM", "an AIFF file"), (".snd", "an AU file"),
        ("caff", "a Core Audio file"),
        ("riff", "a W64 file"), ("wvpk", "WavPack audio"), ("MAC ", "Monkey's Audio"),
        ("MPCK", "Musepack audio"),
        ("MP+", "Musepack audio"), ("TTA1", "True Audio"), ("OFR ", "OptimFROG audio"),
        ("#!AMR", "AMR speech"),
        ("FLV", "a Flash video"), ("\u{0B}w", "AC-3 audio"), ("DSD ", "DSD audio"), ("FRM8", "DSD audio"),
        ("ADIF", "AAC audio (ADIF)"), (".RMF", "a RealMedia file"),
        ("\u{1A}E\u{DF}\u{A3}", "a Matroska or WebM file"), ("\0\0\u{01}\u{BA}", "an MPEG program stream"),
        ("0&\u{B2}u\u{8E}f\u{CF}\u{11}", "Windows Media audio or video"),
    ]

    /// The magic numbers of files without audio.
    ///
    /// They have at least four bytes, so that bare samples do not begin with them by chance.
    private static let others: [(magic: String, name: String)] = [
        ("MThd", "a MIDI file"), ("%PDF", "a PDF document"), ("\u{7F}ELF", "a program"),
        ("PK\u{03}\u{04}", "a ZIP archive"), ("Rar!\u{1A}\u{07}", "an archive"),
        ("7z\u{BC}\u{AF}'\u{1C}", "an archive"), ("\u{1F}\u{8B}\u{08}\0", "an archive"),
        ("\u{1F}\u{8B}\u{08}\u{08}", "an archive"), ("BZh91AY&SY", "an archive"),
        ("\u{FD}7zXZ\0", "an archive"), ("(\u{B5}/\u{FD}", "an archive"), ("SQLite format 3\0", "a database"),
        ("\u{D0}\u{CF}\u{11}\u{E0}\u{A1}\u{B1}\u{1A}\u{E1}", "an Office document"),
        ("II*\0", "a picture"), ("MM\0*", "a picture"), ("GIF8", "a picture"),
        ("\u{89}PNG\r\n\u{1A}\n", "a picture"), ("8BPS", "a picture"),
        ("\u{FF}\u{D8}\u{FF}\u{DB}", "a picture"), ("\u{FF}\u{D8}\u{FF}\u{E0}", "a picture"),
        ("\u{FF}\u{D8}\u{FF}\u{E1}", "a picture"),
    ]

    static let mpegAudio = MediaContent("MPEG audio")

    var isOgg: Bool { name.contains("Ogg ") }
    /// Whether it is a stream of frames, whose end only a decoder finds.
    var isStream: Bool { ["AC-3 audio", "AAC audio (ADTS)", "unknown data"].contains(name) }
    var isMPEG: Bool { self == .mpegAudio }
    var isFLAC: Bool { name == "a FLAC file" }
    var isWAV: Bool { name == "a WAV file" }
    var isWindowsMedia: Bool { name == "Windows Media audio or video" }
    var isUnknown: Bool { name == "unknown data" }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        // A few bytes of raw samples can look printable, and the last character may be cut.
        bytes.count >= 4 && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
            && (0...(bytes.count == headLength ? 3 : 0)).contains {
                String(validating: bytes.dropLast($0), as: UTF8.self) != nil
            }
    }
}
