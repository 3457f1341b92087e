// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation
import Metrics

extension RecordingScore {
    var title: String { Self.title(of: name) }

    /// The name of the file without its folder and extension.
    static func title(of name: String) -> String {
        ((name as NSString).lastPathComponent as NSString).deletingPathExtension
    }
}

/// The few recordings with the most misses.
struct WorstRecordings {
    let recordings: ArraySlice<RecordingScore>
    let misses: Int
    let allMisses: Int
    private let count: Int
    private let own: Proportion
    private let others: Proportion

    private static let mostNamed = 4

    /// Nil without misses, or where few recordings are all there are.
    init?(_ all: [RecordingScore]) {
        guard all.count > Self.mostNamed else { return nil }
        recordings = all.prefix(Self.mostNamed).filter { $0.misses > 0 }[...]
        guard !recordings.isEmpty else { return nil }
        count = all.count
        misses = recordings.reduce(0) { $0 + $1.misses }
        allMisses = all.reduce(0) { $0 + $1.misses }
        own = Self.recall(recordings)
        others = Self.recall(all[recordings.count...])
    }

    private static func recall(_ recordings: ArraySlice<RecordingScore>) -> Proportion {
        Proportion(
            recordings.reduce(0) { $0 + $1.score.recall.successes },
            of: recordings.reduce(0) { $0 + $1.score.recall.trials })
    }

    var sentence: String {
        let names = recordings.map { "\($0.title) (\($0.score.recall.text))" }
        let list =
            names.count == 1
            ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
        return "\(headline): \(list). Their recall is \(own.text), that of the others " + "\(others.text)."
    }

    /// `111 of 306 misses come from 4 of 22 recordings`.
    var headline: String {
        "\(misses.text) of \(allMisses.text("miss comes", "misses come")) from "
            + "\(recordings.count) of \(count.text) recordings"
    }
}
