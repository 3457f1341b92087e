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
            bytes.dropFirst(offset).starts(with: magic.utf8)
        }
        func begins(_ magic: UInt8...) -> Bool { bytes.starts(with: magic) }
        if has("ftyp", at: 4) {
            self.init(has("M4A", at: 8) ? "MPEG-4 audio" : "an MPEG-4 or QuickTime file")
        } else if begins(0x1A, 0x45, 0xDF, 0xA3) {
            self.init("a Matroska or WebM file")
        } else if begins(0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11) {
            self.init("Windows Media audio or video")
        } else if has("OggS") {
            // The first page's header is 27 bytes and a segment table of one entry.
            self.init(Self.oggCodecs.first { has($0.magic, at: 28) }?.name ?? "an Ogg file")
        } else if has("RIFF") || has("RIFX") || has("RF64") {
            self.init(has("AVI ", at: 8) ? "an AVI video" : has("WAVE", at: 8) ? "a WAV file" : "a RIFF file")
        } else if let kind = Self.magics.first(where: { has($0.magic) }) {
            self.init(kind.name, mayHoldAudio: kind.mayHoldAudio)
        } else if has("G"), has("G", at: 188) || has("G", at: 376) {
            self.init("an MPEG transport stream")
        } else if has("G", at: 4), has("G", at: 196) {
            self.init("an MPEG transport stream (M2TS)")
        } else if begins(0, 0, 1, 0xBA) {
            self.init("an MPEG program stream")
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

    private static let magics: [(magic: String, name: String, mayHoldAudio: Bool)] = [
        ("fLaC", "a FLAC file", true), ("FORM", "an AIFF file", true), (".snd", "an AU file", true),
        ("caff", "a Core Audio file", true), ("riff", "a W64 file", true),
        ("wvpk", "WavPack audio", true), ("MAC ", "Monkey's Audio", true), ("MPCK", "Musepack audio", true),
        ("MP+", "Musepack audio", true), ("TTA1", "True Audio", true), ("OFR ", "OptimFROG audio", true),
        ("#!AMR", "AMR speech", true), ("FLV", "a Flash video", true), ("\u{0B}w", "AC-3 audio", true),
        ("DSD ", "DSD audio", true), ("FRM8", "DSD audio", true), ("ADIF", "AAC audio (ADIF)", true),
        (".RMF", "a RealMedia file", true), ("MThd", "a MIDI file", false), ("%PDF", "a PDF document", false),
        ("\u{7F}ELF", "a program", false), ("PK\u{03}\u{04}", "a ZIP archive", false),
        ("GIF8", "a picture", false),
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
        // A few bytes of raw samples can look printable.
        bytes.count >= 4 && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
            && (bytes.count == headLength || String(validating: bytes, as: UTF8.self) != nil)
    }
}
