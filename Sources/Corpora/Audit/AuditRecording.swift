import AudioCore

extension EquivalenceAudit {
    /// What a recording is for, as far as an audit cares.
    package enum Part: String, Codable, Hashable, Sendable {
        /// It is enrolled, or may be.
        case reference
        /// It is queried with and never enrolled.
        case negative
        /// It is mixed into queries.
        case noise
    }

    /// A recording to be looked at.
    package struct Recording: Sendable {
        /// What findings call it.
        package var id: String
        /// What it is for.
        package var part: Part
        /// Its equivalence class so far; nil when there is none.
        package var classID: String?
        /// Its length in seconds, where that is known before it is decoded.
        package var durationSeconds: Double?
        /// Decodes it.
        package var load: @Sendable () throws -> AudioBuffer

        /// Names a recording.
        package init(
            id: String, part: Part = .reference, classID: String? = nil, durationSeconds: Double? = nil,
            load: @escaping @Sendable () throws -> AudioBuffer
        ) {
            self.id = id
            self.part = part
            self.classID = classID
            self.durationSeconds = durationSeconds
            self.load = load
        }
    }

    /// A recording that could not be decoded.
    package struct Unreadable: Codable, Hashable, Sendable {
        /// What findings call it.
        package var id: String
        /// Why.
        package var message: String

        package init(id: String, message: String) {
            self.id = id
            self.message = message
        }
    }
}

extension Corpus {
    /// Its tracks as recordings to audit; `prefix` is put before their ids.
    package func auditRecordings(prefix: String = "") -> [EquivalenceAudit.Recording] {
        tracks.map { track in
            let part: EquivalenceAudit.Part =
                switch track.role {
                case .enrolled: .reference
                case .negative: .negative
                case .noise: .noise
                }
            return EquivalenceAudit.Recording(
                id: prefix + track.id, part: part, classID: prefix + track.classID,
                durationSeconds: track.durationSeconds
            ) { try audio(of: track) }
        }
    }
}
