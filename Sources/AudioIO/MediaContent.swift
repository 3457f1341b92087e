/// The kind of a file, by its magic number.
struct MediaContent: Sendable, Equatable {
    let name: String
    /// Whether ffmpeg may find audio in it.
    let mayHoldAudio: Bool

    private init(_ name: String, mayHoldAudio: Bool = true) {
        self.name = name
        self.mayHoldAudio = mayHoldAudio
    }

    init(of head: ArraySlice<UInt8>) {
        let bytes = Array(head)
        func has(_ magic: String, at offset: Int = 0) -> Bool { has(Array(magic.utf8), at: offset) }
        func has(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + magic.count && bytes[offset..<offset + magic.count].elementsEqual(magic)
        }
        if has("ftyp", at: 4) {
            self.init(has("M4A", at: 8) ? "MPEG-4 audio" : "an MPEG-4 or QuickTime file")
        } else if has([0x1A, 0x45, 0xDF, 0xA3]) {
            self.init("a Matroska or WebM file")
        } else if has([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) {
            self.init("Windows Media audio or video")
        } else if has("OggS") {
            self.init(Self.oggCodec(bytes))
        } else if has("RIFF") || has("RIFX") || has("RF64") {
            self.init(has("AVI ", at: 8) ? "an AVI video" : has("WAVE", at: 8) ? "a WAV file" : "a RIFF file")
        } else if let kind = Self.magics.first(where: { has($0.magic) }) {
            self.init(kind.name, mayHoldAudio: kind.mayHoldAudio)
        } else if has("G"), has("G", at: 188) || has("G", at: 376) {
            self.init("an MPEG transport stream")
        } else if has("G", at: 4), has("G", at: 196) {
            self.init("an MPEG transport stream (M2TS)")
        } else if has([0, 0, 1, 0xBA]) {
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

    var isOgg: Bool { name.hasPrefix("Ogg ") }
    var isMPEG: Bool { self == .mpegAudio }
    var isFLAC: Bool { name == "a FLAC file" }
    var isWAV: Bool { name == "a WAV file" }
    var isWindowsMedia: Bool { name == "Windows Media audio or video" }
    var isUnknown: Bool { name == "unknown data" }

    private static func oggCodec(_ bytes: [UInt8]) -> String {
        // The first page's header is 27 bytes and a segment table of one entry.
        let packet = String(decoding: bytes.dropFirst(28).prefix(8), as: UTF8.self)
        if packet.hasPrefix("OpusHead") { return "Ogg Opus audio" }
        if packet.hasPrefix("\u{01}vorbis") { return "Ogg Vorbis audio" }
        if packet.hasPrefix("Speex") { return "Ogg Speex audio" }
        if packet.hasPrefix("\u{7F}FLAC") { return "Ogg FLAC audio" }
        return "an Ogg file"
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        let printable = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        guard printable else { return false }
        // A few bytes of raw samples can look printable.
        return bytes.count >= 4
            && (bytes.count == AudioLink.headLength || String(validating: bytes, as: UTF8.self) != nil)
    }
}
