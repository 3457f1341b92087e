import AudioCore

/// An episode of a study, for those who want to hear it.
package struct BuiltEpisode: Sendable {
    /// Its set's name and its own.
    package let id: String
    /// Its samples.
    package let audio: AudioBuffer
    /// Where the part lies that all of its set share, in seconds.
    package let introSeconds: Range<Double>
}

extension IntroStudy {
    /// The names of all sets.
    package func setNames() throws -> [String] { try plan.drawSets(from: corpus).map(\.name) }

    /// Builds the episodes of one set.
    package func episodes(ofSet name: String) throws -> [BuiltEpisode] {
        guard let set = try plan.drawSets(from: corpus).first(where: { $0.name == name }) else { return [] }
        return try set.build(plan, corpus: corpus, jobs: jobs).episodes.enumerated().map { index, episode in
            BuiltEpisode(id: set.episodeID(index), audio: episode.audio, introSeconds: episode.intro)
        }
    }
}
