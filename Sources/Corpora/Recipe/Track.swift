/// A recording of a corpus.
public struct Track: Hashable, Sendable {
    /// Another name of the same recording, or a recording that shares a passage with it.
    package struct ClassMember: Hashable, Sendable {
        /// The name, unique in the corpus.
        package var id: String
        /// This track at second t is the member at second t + `offsetSeconds`; nil where the two
        /// only share a passage.
        package var offsetSeconds: Double?
    }

    /// The name, unique in the corpus.
    public var id: String
    package var path: String?
    package var role: TrackRole
    /// The only half that uses it for queries or noise.
    package var half: CorpusHalf
    package var corpusRole: CorpusRole
    package var classID: String
    /// All members of its class that are used, itself (at offset 0) included, sorted by id.
    package var classMembers: [ClassMember]
    /// The length in frames.
    public var frameCount: Int
    /// The sample rate in hertz.
    public var sampleRate: Int
    /// The number of channels.
    public var channelCount: Int
    /// What it was made from, when it is a derived reference.
    package var copy: Copy?
    /// What it is of its piece, in a corpus of rendered scores.
    package var rendition: Rendition?

    package var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }
}

extension Track {
    package static func tracks(of lock: CorpusLock, path: (CorpusLock.File) -> String?) -> [Track] {
        let used = lock.files.filter { $0.durationSeconds >= lock.minimumSeconds }
        let digests = lock.checksums
        let classes = Dictionary(grouping: used, by: \.classID)
        return used.map { file in
            let role: TrackRole =
                switch file.role {
                case .negative: .negative
                case .noise: .noise
                // A lock is only read with valid digests and with classes that exist.
                case .reference: digests[file.classID].flatMap(SplitRule.role) ?? .negative
                }
            let half = digests[file.classID].flatMap(SplitRule.half) ?? .tuning
            let members = (classes[file.classID] ?? []).map { other in
                let offset: Double? =
                    if other.id == file.id {
                        0
                    } else if let own = file.offsetSeconds, let its = other.offsetSeconds {
                        own - its
                    } else {
                        nil
                    }
                return ClassMember(id: other.id, offsetSeconds: offset)
            }
            let track = Track(
                id: file.id, path: path(file), role: role, half: half, corpusRole: file.role,
                classID: file.classID, classMembers: members.sorted { $0.id < $1.id },
                frameCount: file.frameCount, sampleRate: file.sampleRate, channelCount: file.channelCount)
            return file.place.map(track.rendered) ?? track
        }
    }

    /// The track as a recording of a piece.
    ///
    /// Only references are enrolled. An edit is the same recording as its reference, whose places differ. Every other
    /// recording of the piece is in no reference, and still of its class.
    private func rendered(from place: RenditionPlace) -> Track {
        var track = self
        track.path = nil
        track.half = place.half
        track.rendition = place.rendition
        track.role = place.rendition == .reference ? .enrolled(place.half) : .negative
        track.classMembers = [ClassMember(id: id, offsetSeconds: 0)]
        if place.rendition == .edit {
            var reference = place
            reference.rendition = .reference
            track.classMembers = [ClassMember(id: reference.id, offsetSeconds: nil)]
        }
        return track
    }
}

extension CorpusLock.File {
    /// Nil unless it is made from a score.
    package var place: RenditionPlace? {
        package == RenditionPlace.package ? RenditionPlace(path) : nil
    }
}

extension Track {
    package var isEnrolled: Bool { if case .enrolled = role { true } else { false } }

    /// The track in a corpus that is not divided into halves: every reference is enrolled and queried.
    package var undivided: Track {
        var track = self
        track.half = .test
        if corpusRole == .reference { track.role = .enrolled(.test) }
        return track
    }
}
