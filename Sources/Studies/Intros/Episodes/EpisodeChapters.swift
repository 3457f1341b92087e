import AudioCore

extension EpisodeFindings {
    /// What a shared part is to an episode, judged by its places only.
    package enum Kind: String, Sendable, CaseIterable {
        /// In the first third of the episode, as of most episodes that have it.
        case intro
        /// In the last third of the episode, as of most episodes that have it.
        case credits
        /// In the first third, and later in one earlier episode.
        case recap
        /// In the last third, and earlier in one later episode.
        case preview
        case other
    }

    /// A stretch of an episode that other episodes have too.
    package struct Chapter: Sendable, Equatable {
        package var kind: Kind
        /// The index of the part; the first of those that the chapter holds.
        package var part: Int
        /// In seconds of the file.
        package var seconds: Range<Double>

        package init(kind: Kind, part: Int, seconds: Range<Double>) {
            self.kind = kind
            self.part = part
            self.seconds = seconds
        }
    }

    private static let end = 1.0 / 3
    /// The least share of the files of a part that have it at one end.
    private static let majority = 2.0 / 3
    /// The length of the shortest chapter, in seconds.
    package static let shortestChapter = 1.0

    /// The kind of each place of a part.
    ///
    /// Two of three or more files that share a part show no habit of the series, so one of them may show again what the
    /// other has.
    package func kinds(of part: Part) -> [Kind] {
        let files = part.episodes
        let beginnings = Dictionary(uniqueKeysWithValues: files.map { ($0, self.beginnings(of: $0)) })
        let positions = part.places.map { position($0, in: beginnings[$0.episode] ?? [0]) }
        func episodes(at test: (Double) -> Bool) -> Set<Int> {
            Set(zip(part.places, positions).filter { test($1) }.map(\.0.episode))
        }
        let (early, late) = (episodes(at: Self.isEarly), episodes(at: Self.isLate))
        if files.count < min(3, self.episodes.count), let first = files.first, let second = files.last {
            let isRecap = early.contains(second) && !early.contains(first)
            let isPreview = !isRecap && late.contains(first) && !late.contains(second)
            return zip(part.places, positions).map { place, position in
                if isRecap, place.episode == second, Self.isEarly(position) { return .recap }
                return isPreview && place.episode == first && Self.isLate(position) ? .preview : .other
            }
        }
        let most = Self.majority * Double(files.count)
        return positions.map { position in
            if Self.isEarly(position), Double(early.count) >= most { return .intro }
            return Self.isLate(position) && Double(late.count) >= most ? .credits : .other
        }
    }

    private static func isEarly(_ position: Double) -> Bool { position < end }
    private static func isLate(_ position: Double) -> Bool { position > 1 - end }

    /// Where the middle of a place is within its episode, 0…1, by when the episodes of its file begin.
    private func position(_ place: Part.Place, in beginnings: [Double]) -> Double {
        let middle = (place.seconds.lowerBound + place.seconds.upperBound) / 2
        let number = (beginnings.lastIndex { $0 <= middle }) ?? 0
        let next =
            beginnings.indices.contains(number + 1)
            ? beginnings[number + 1] : episodes[place.episode].durationSeconds
        return (middle - beginnings[number]) / max(next - beginnings[number], 1e-9)
    }

    /// When the episodes of a file begin: one of two episodes has the intro of the series twice, as far apart as episodes are.
    private func beginnings(of file: Int) -> [Double] {
        let durations = episodes.map(\.durationSeconds).sorted()
        let typical = durations.isEmpty ? 0 : durations[durations.count / 2]
        for part in parts {
            let early = part.places.filter { Self.isEarly(position($0, in: [0])) }.map(\.episode)
            guard part.episodes.count >= 3,
                Double(Set(early).count) >= Self.majority * Double(part.episodes.count)
            else { continue }
            let begins = part.places.filter { $0.episode == file }.map(\.seconds.lowerBound).sorted()
            guard let first = begins.first else { continue }
            var kept = [0.0]
            for begin in begins where begin - first - kept[kept.count - 1] >= typical / 2 {
                kept.append(begin - first)
            }
            if kept.count > 1 { return kept }
        }
        return [0]
    }

    /// The kind that most places of a part have, of those that have one.
    package func kind(of part: Part) -> Kind {
        let kinds = kinds(of: part).filter { $0 != .other }
        guard !kinds.isEmpty else { return .other }
        return Kind.allCases.max { one, other in
            kinds.count { $0 == one } < kinds.count { $0 == other }
        } ?? .other
    }

    /// The shared stretches of an episode in order, without overlaps.
    ///
    /// Parts of one kind that touch are one chapter, except those of no kind. Where parts overlap, the kind that comes
    /// first in ``Kind`` has the stretch.
    package func chapters(of episode: Int) -> [Chapter] {
        let places = parts.enumerated().flatMap { number, part in
            zip(part.places, kinds(of: part)).filter { $0.0.episode == episode }.map {
                Chapter(kind: $1, part: number, seconds: $0.seconds)
            }
        }
        var chapters: [Chapter] = []
        for kind in Kind.allCases {
            for place in places where place.kind == kind {
                for piece in place.seconds.pieces(outside: chapters.map(\.seconds)) {
                    chapters.append(Chapter(kind: kind, part: place.part, seconds: piece))
                }
            }
        }
        var joined: [Chapter] = []
        for chapter in chapters.sorted(by: { $0.seconds.lowerBound < $1.seconds.lowerBound }) {
            if let last = joined.last, last.kind == chapter.kind,
                chapter.kind != .other || last.part == chapter.part,
                chapter.seconds.lowerBound - last.seconds.upperBound < Self.shortestChapter
            {
                joined[joined.count - 1].seconds = last.seconds.lowerBound..<chapter.seconds.upperBound
                joined[joined.count - 1].part = min(last.part, chapter.part)
            } else {
                joined.append(chapter)
            }
        }
        return joined.filter { $0.seconds.length >= Self.shortestChapter }
    }
}
