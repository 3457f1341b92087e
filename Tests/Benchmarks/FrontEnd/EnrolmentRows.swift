import AudioCore
import AudioIO
import Fingerprinting
import Foundation

/// The cost of enrolling files relative to decoding them.
enum EnrolmentRows {
    static let encodings = ["wav-pcm16", "flac-16", "mp3-192k", "ogg-vorbis-q0.6"]

    /// Writes `audio` into `folder` once for each encoding and measures each file.
    static func measure(_ audio: AudioBuffer, folder: String, repetitions: Int) throws -> [Row] {
        try encodings.flatMap { name -> [Row] in
            guard let encoding = AudioEncoding(name) else { return [] }
            let path = "\(folder)/\(name).\(encoding.fileExtension)"
            try AudioFile.write(audio, to: path, as: encoding)
            return try measure([path], name: name, repetitions: repetitions)
        }
    }

    /// Measures all files of each extension together.
    static func measure(filesIn folder: String, repetitions: Int) throws -> [Row] {
        let files = try AudioFileFinder.listing(under: folder).files
        let byExtension = Dictionary(grouping: files) { ($0 as NSString).pathExtension.lowercased() }
        return try byExtension.sorted { $0.key < $1.key }.flatMap { name, paths in
            try measure(paths, name: "\(paths.count) \(name) files", repetitions: repetitions)
        }
    }

    private static func measure(_ paths: [String], name: String, repetitions: Int) throws -> [Row] {
        var seconds = 0.0
        for path in paths {
            let reader = try AudioFileReader(path: path)
            var samples = 0
            while try reader.withNextBlock(maxFrames: 16_384, { samples += $0.count }) != nil {}
            seconds += Double(samples / reader.channelCount) / Double(reader.sampleRate)
        }
        let decoding = "\(name): decoding"
        let enrolment = "\(name): enrolment"
        var race = Race()
        race.add(decoding) {
            for path in paths {
                let reader = try AudioFileReader(path: path)
                while try reader.withNextBlock(maxFrames: 16_384, { _ in }) != nil {}
            }
        }
        race.add(enrolment) {
            for path in paths { _ = try Signature(ofAudioFile: path) }
        }
        let best = try race.run(repetitions: repetitions)
        let decodingCost = (best[decoding] ?? .nan) / seconds
        let enrolmentCost = (best[enrolment] ?? .nan) / seconds
        let unit = "us per audio second"
        return [
            Row(name: decoding, cost: decodingCost * 1e6, unit: unit),
            Row(
                name: enrolment, cost: enrolmentCost * 1e6, unit: unit, ratio: enrolmentCost / decodingCost,
                relativeTo: "decoding"),
            Row(name: "\(name): speed", cost: 1 / enrolmentCost, unit: "audio seconds per CPU second"),
        ]
    }

    /// The cost of two threads relative to one, with a check that signatures are equal.
    static func measureThreads(_ folder: String, repetitions: Int) throws -> [Row] {
        let sources = try ReferenceSource.find([folder], naming: .relativePath)
        var signatures: [[Signature]] = []
        var race = Race()
        for jobs in [1, 2] {
            race.add("enrolment on \(jobs) threads") {
                let outcome = try CatalogBuilder(jobs: jobs).build(sources)
                signatures.append(outcome.references.map(\.signature))
            }
        }
        let best = try race.run(repetitions: repetitions)
        guard signatures.allSatisfy({ $0 == signatures.first }) else { throw DifferentSignatures() }
        let one = best["enrolment on 1 threads"] ?? .nan
        let two = best["enrolment on 2 threads"] ?? .nan
        return [
            Row(
                name: "enrolment of \(sources.count) files on 2 threads", cost: two, unit: "CPU seconds",
                ratio: two / one, relativeTo: "on 1 thread")
        ]
    }

    private struct DifferentSignatures: Error, CustomStringConvertible {
        let description = "1 and 2 threads gave different signatures"
    }
}
