import AudioCore

/// An episode of a study, for those who want to hear it.
public struct BuiltEpisode: Sendable {
    /// Its set's name and its own.
    public let id: String
    /// Its samples.
    public let audio: AudioBuffer
    /// Where the part lies that all of its set share, in seconds.
    public let introSeconds: Range<Double>
}

extension IntroStudy {
    /// The names of all sets.
    public func setNames() throws -> [String] { try plan.drawSets(from: corpus).map(\.name) }

    /// Builds the episodes of one set.
    public func episodes(ofSet name: String) throws -> [BuiltEpisode] {
        guard let set = try plan.drawSets(from: corpus).first(where: { $0.name == name }) else { return [] }
        return try set.build(plan, corpus: corpus, jobs: jobs).episodes.enumerated().map { index, episode in
            BuiltEpisode(id: set.episodeID(index), audio: episode.audio, introSeconds: episode.intro)
        }
    }
}
