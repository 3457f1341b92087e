import AudioCore
import EarshotKit
import TestSupport

/// Sixty episodes that share an intro, with signatures made once for all tests.
public enum EpisodeBook {
    /// The length of the intro, in seconds.
    public static let introSeconds = 12.0
    /// The number of episodes.
    public static let count = 60

    /// The shared intro.
    public static let intro = ScoreSong(seed: 900, seconds: introSeconds)

    /// The intro, followed by the episode's own music of 10 s.
    public static func audio(_ episode: Int) -> AudioBuffer {
        let body = ScoreSong(seed: 1000 + UInt64(episode), seconds: 10).render()
        return AudioBuffer(samples: intro.render().samples + body.samples, sampleRate: body.sampleRate)
    }

    /// The signatures of ``audio(_:)``.
    public static let signatures: [SHSignature] = (0..<count).map { episode in
        guard let signature = try? SHSignature.of(audio(episode)) else {
            preconditionFailure("an episode has no signature")
        }
        return signature
    }

    /// The title of an episode.
    public static func title(_ episode: Int) -> String { "Episode \(episode)" }

    /// All titles.
    public static let titles = Set((0..<count).map(title))

    /// A new catalog of all episodes with their titles.
    public static func catalog() throws -> SHCustomCatalog {
        let catalog = SHCustomCatalog()
        for (episode, signature) in signatures.enumerated() {
            try catalog.addReferenceSignature(
                signature, representing: [SHMediaItem(properties: [.title: title(episode)])])
        }
        return catalog
    }

    /// Seconds of an episode.
    public static func excerpt(_ episode: Int, _ seconds: Range<Double>) -> AudioBuffer {
        let audio = audio(episode)
        let rate = Double(audio.sampleRate)
        return audio.frames(Int(seconds.lowerBound * rate)..<Int(seconds.upperBound * rate))
    }
}
