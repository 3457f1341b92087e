import AudioCore

package struct CorpusSummary: Sendable, CustomStringConvertible {
    package struct Share: Hashable, Sendable {
        package var tracks = 0
        package var seconds = 0.0
    }

    package let name: String
    package let classes: Int
    package private(set) var total = Share()
    package private(set) var roles: [TrackRole: Share] = [:]

    package init(_ corpus: Corpus) {
        name = corpus.name
        classes = Set(corpus.tracks.map(\.classID)).count
        for track in corpus.tracks {
            total.tracks += 1
            total.seconds += track.durationSeconds
            roles[track.role, default: Share()].tracks += 1
            roles[track.role, default: Share()].seconds += track.durationSeconds
        }
    }

    package var description: String {
        let parts = roles.sorted { $0.key.description < $1.key.description }
            .map { "\($0.value.tracks) \($0.key)" }
        let minutes = Int(bounded: (total.seconds / 60).rounded())
        return "\(name): \(total.tracks) tracks in \(classes) classes, \(minutes) minutes ("
            + parts.joined(separator: ", ") + ")"
    }
}
