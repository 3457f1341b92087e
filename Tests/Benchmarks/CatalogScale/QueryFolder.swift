import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import SystemIO

/// The queries of `earshot degrade --plan … --output folder`, with their ground truth.
struct QueryFolder {
    /// One query.
    struct Item {
        /// The condition: the trial's name without its number.
        let condition: String
        /// The trial's name.
        let trial: String
        /// The reference it was cut from; nil for a negative.
        let source: String?
        /// The audio, mixed to one channel.
        let audio: AudioBuffer
    }

    let items: [Item]

    /// Reads the folder's `truth.csv` and its audio, at most `limit` queries of each condition and kind.
    ///
    /// - Parameter only: Selects conditions whose names contain this.
    init(path: String, limit: Int, only: String?) throws {
        var reader = try CSVReader(path: path + "/truth.csv")
        let columns = try reader.next()?.map(\.text) ?? []
        var taken: [String: Int] = [:]
        var known: Set<String> = []
        var items: [Item] = []
        while let row = try reader.next() {
            let fields = Dictionary(zip(columns, row.map(\.text)), uniquingKeysWith: { first, _ in first })
            // A query with several right references has as many rows.
            guard let file = fields["query"], let trial = fields["trial"], known.insert(trial).inserted else {
                continue
            }
            let condition = trial.split(separator: "/").dropLast().joined(separator: "/")
            if let only, !condition.contains(only) { continue }
            let isPositive = !(fields["reference"] ?? "").isEmpty
            let count = taken["\(condition) \(isPositive)", default: 0]
            guard count < limit else { continue }
            taken["\(condition) \(isPositive)"] = count + 1
            let audio = try AudioFile.read(path + "/" + file)
            items.append(
                Item(
                    condition: condition, trial: trial, source: isPositive ? fields["source"] : nil,
                    audio: audio.mono))
        }
        self.items = items
    }
}

extension AudioBuffer {
    /// The mean of the channels.
    fileprivate var mono: AudioBuffer {
        guard channelCount > 1 else { return self }
        var sum = [Float](repeating: 0, count: frameCount)
        for channel in 0..<channelCount {
            for frame in 0..<frameCount { sum[frame] += samples[channel * frameCount + frame] }
        }
        return AudioBuffer(samples: sum.map { $0 / Float(channelCount) }, sampleRate: sampleRate)
    }
}
