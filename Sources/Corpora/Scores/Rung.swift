/// A step of relatedness between a query and a reference, the least related first.
///
/// "Same recording" ends with remaster and edit. Below them a query is of another recording, so no reference is a right
/// answer to it; that of another mix is permitted.
package enum Rung: String, Codable, Hashable, Sendable, CaseIterable {
    /// Other music with other sounds.
    case unrelated
    /// Other music with the sounds of the references.
    case sameSounds = "same sounds"
    /// Other music over a loop of the reference.
    case sameLoop = "same loop"
    /// The same notes with other sounds.
    case otherSounds = "other sounds"
    /// The same notes and sounds in another tempo and key.
    case otherTempoAndKey = "other tempo and key"
    /// The same notes and sounds, played again.
    case otherTake = "other take"
    /// The same take with its instruments at other levels.
    case otherMix = "other mix"
    /// The same recording with parts cut out.
    case edit
    /// The same recording through an equaliser, a compressor or a limiter.
    case remaster
    case sameRecording = "same recording"

    /// Whether the reference is a right answer.
    package var isSameRecording: Bool {
        switch self {
        case .edit, .remaster, .sameRecording: true
        default: false
        }
    }

    /// Whether the reference is neither a right answer nor a wrong one.
    ///
    /// Nobody can tell another mix of a take from an edit of it by the sound.
    package var permitsReference: Bool { self == .otherMix }

    /// Whether the piece is left out of the catalog, so that all references are of other music.
    package var leavesOutPiece: Bool { self == .unrelated || self == .sameSounds }

    /// Whether the reference is related music, but another recording.
    package var isRelated: Bool { !isSameRecording && !leavesOutPiece }

    /// What its queries are cut from.
    package var rendition: Rendition {
        switch self {
        case .unrelated, .otherSounds: .sounds
        case .sameLoop: .loop
        case .otherTempoAndKey: .tempoAndKey
        case .otherTake: .take
        case .otherMix: .mix
        case .edit: .edit
        case .sameSounds, .remaster, .sameRecording: .reference
        }
    }
}

/// A recording of a piece: the reference, or one that is made to be related to it.
package enum Rendition: String, Hashable, Sendable, CaseIterable {
    case reference
    case edit
    case mix
    case take
    case tempoAndKey = "tempo-and-key"
    case sounds
    case loop
}
