import Foundation
import SystemIO

extension CorpusRecipe.Renditions {
    /// Every recording to lock, of the scores that are unpacked in the cache.
    ///
    /// A score of several names is taken once, so that no piece is in both halves. Short scores and those of one
    /// instrument, which has no levels to mix, are left out.
    ///
    /// - Throws: ``CorpusError`` with code `unreadable` for a score that is none, or two pieces of one name.
    func places(
        in library: CorpusLibrary, paths: [String: [String]], progress: (String) -> Void
    ) throws -> [RenditionPlace] {
        var known: [String: String] = [:]
        var names: Set<String> = []
        var places: [RenditionPlace] = []
        for half in CorpusHalf.allCases {
            for package in halves[half]?.scores ?? [] {
                let chosen = (paths[package.name] ?? []).filter { path in
                    package.files.contains { $0.glob.matches(path) }
                }
                for path in chosen {
                    let file = try ScoreFile(path: "\(library.folder(ofPackage: package.name))/\(path)")
                    for entry in file.entries {
                        var place = RenditionPlace(
                            half: half, package: package.name, file: path, entry: entry.name,
                            rendition: .reference)
                        if let other = known.updateValue(
                            place.piece, forKey: Digest.sha256(Data(entry.bytes)))
                        {
                            progress("\(place.piece) is the same as \(other) and is left out")
                            continue
                        }
                        let score = try MIDIFile.score(entry.bytes, name: place.piece)
                        let length = score.seconds - (score.notes.first?.start ?? 0)
                        guard length >= seconds, score.channels.count > 1 else {
                            progress("\(place.piece) is too short or plays one channel only, and is left out")
                            continue
                        }
                        guard names.insert(place.piece).inserted else {
                            throw CorpusError(.unreadable, "two scores are both called \(place.piece)")
                        }
                        for rendition in Rendition.allCases {
                            place.rendition = rendition
                            places.append(place)
                        }
                    }
                }
            }
        }
        return places
    }
}
