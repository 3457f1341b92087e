import AudioCore
import Degradations
import SystemIO

/// Copies of tracks that differ only in speed, as references of a plan.
///
/// A copied track is enrolled as its copies only, and positives are cut from copies only. So recall is the share of
/// queries whose copy the matcher told from the others.
package struct SpeedCopies: Sendable, Hashable {
    /// The changes of speed, in percent; 0 is the track itself.
    package var percents: [Double]
    package var tracks: Int

    package init(_ mapping: YAMLMapping) throws {
        tracks = try mapping.count("tracks", in: 1...1000)
        percents = try mapping.list("percents").map { try $0.double() }
        try mapping.rejectUnknownKeys()
        let range = -10.0...10.0
        guard percents.count >= 2, percents.allSatisfy(range.contains), Set(percents).count == percents.count
        else { throw mapping.error("`percents`: expected two or more different numbers within \(range)") }
    }
}

extension Corpus {
    /// This corpus with copies in place of some tracks of `half`, drawn by `seed`.
    ///
    /// Only recordings that share audio with no other are drawn.
    package func copying(_ copies: SpeedCopies, half: CorpusHalf, seed: UInt64) throws -> Corpus {
        var offered = tracks.filter { $0.role == .enrolled(half) && $0.classMembers.count == 1 }
        guard offered.count >= copies.tracks else {
            throw ConfigurationError(
                file: name,
                message:
                    "the \(half.rawValue) half has \(offered.count) recordings that share no audio and can be copied; "
                    + "\(copies.tracks) are needed")
        }
        var generator = SeededGenerator(seed: seed, "speed copies")
        offered.shuffle(using: &generator)
        let drawn = Set(offered.prefix(copies.tracks).map(\.id))
        var corpus = self
        corpus.tracks = tracks.flatMap { track in
            drawn.contains(track.id)
                ? copies.percents.map { track.copy(Speed(percent: $0), percent: $0) } : [track]
        }
        corpus.originals = Dictionary(
            uniqueKeysWithValues: tracks.filter { drawn.contains($0.id) }.map { ($0.id, $0) })
        return corpus
    }

    package func audio(of copy: Track.Copy) throws -> AudioBuffer {
        guard let original = originals[copy.original] else {
            throw CorpusError(.unreadable, "\(copy.original) is not copied in the corpus \(name)")
        }
        var clip = Clip(try audio(of: original))
        try copy.speed.apply(to: &clip, material: NoMaterial())
        return clip.audio
    }
}

extension Track {
    package struct Copy: Hashable, Sendable {
        package var original: String
        package var speed: Speed
    }

    /// A copy of this track, which is a right answer only to its own queries.
    fileprivate func copy(_ speed: Speed, percent: Double) -> Track {
        var track = self
        track.id = "\(id)@\(percent < 0 ? "" : "+")\(formatNumber(percent))%"
        track.classMembers = [ClassMember(id: track.id, offsetSeconds: 0)]
        track.frameCount = Int(bounded: (Double(frameCount) / speed.ratio).rounded())
        track.copy = Copy(original: id, speed: speed)
        return track
    }
}
