import AudioCore
import AudioIO
import Fingerprinting
import Foundation

/// The queries that `earshot degrade --plan … --output folder` wrote, with what is true of them.
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

    /// Reads the folder's `truth.csv` and the audio it names, at most `limit` queries of each condition and kind.
    ///
    /// - Parameter only: takes only conditions whose name contains this.
    init(path: String, limit: Int, only: String?) throws {
        let text = try String(contentsOfFile: path + "/truth.csv", encoding: .utf8)
        var taken: [String: Int] = [:]
        items = try text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
            let fields = Self.fields(line)
            guard fields.count >= 4, !fields[0].isEmpty else { return nil }
            let condition = fields[1].split(separator: "/").dropLast().joined(separator: "/")
            if let only, !condition.contains(only) { return nil }
            let isPositive = fields[3] == "true"
            let count = taken["\(condition) \(isPositive)", default: 0]
            guard count < limit else { return nil }
            taken["\(condition) \(isPositive)"] = count + 1
            let audio = try AudioFile.read(path + "/" + fields[0])
            return Item(
                condition: condition, trial: fields[1], source: isPositive ? fields[2] : nil,
                audio: audio.mono)
        }
    }

    /// The fields of a line of CSV.
    private static func fields(_ line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].append(character)
            }
        }
        return fields
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
