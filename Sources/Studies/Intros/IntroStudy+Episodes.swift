import AudioCore

/// An episode of a study, for listening.
package struct BuiltEpisode: Sendable {
    /// The name of its set and its number.
    package let id: String
    package let audio: AudioBuffer
    /// The range of the part that the set shares, in seconds.
    package let introSeconds: Range<Double>
}

extension IntroStudy {
    package func setNames() throws -> [String] { try plan.drawSets(from: corpus).map(\.name) }

    package func episodes(ofSet name: String) throws -> [BuiltEpisode] {
        guard let set = try plan.drawSets(from: corpus).first(where: { $0.name == name }) else { return [] }
        return try set.build(plan, corpus: corpus, jobs: jobs).episodes.enumerated().map { index, episode in
            BuiltEpisode(id: set.episodeID(index), audio: episode.audio, introSeconds: episode.intro)
        }
    }
}
