import AudioCore

extension EquivalenceAudit {
    package enum Part: String, Codable, Hashable, Sendable {
        case reference
        case negative
        case noise
    }

    package struct Recording: Sendable {
        package var id: String
        package var part: Part
        /// Its equivalence class so far; nil when there is none.
        package var classID: String?
        /// Its length in seconds, where that is known before it is decoded.
        package var durationSeconds: Double?
        package var load: @Sendable () throws -> AudioBuffer

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

    package struct Unreadable: Codable, Hashable, Sendable {
        package var id: String
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
