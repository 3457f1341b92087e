import AudioCore

/// Standard MIDI files of formats 0 and 1, as in "Standard MIDI Files 1.0" of the MIDI Manufacturers Association.
package enum MIDIFile {
    /// Reads the notes and controls of a file.
    ///
    /// - Parameter name: What errors call it.
    /// - Throws: ``CorpusError`` with code `unreadable`.
    package static func score(_ bytes: [UInt8], name: String) throws -> Score {
        var reader = MIDIReader(bytes: bytes, name: name)
        return try reader.score()
    }

    private static let ticksPerSecond = 10_000

    /// The score as a file of one track, with ticks of 0.1 ms.
    package static func bytes(of score: Score) -> [UInt8] {
        // At one time a note ends before the next one begins.
        var events: [(tick: Int, order: Int, bytes: [UInt8])] = []
        func tick(_ seconds: Double) -> Int {
            Int(bounded: (max(0, seconds) * Double(ticksPerSecond)).rounded())
        }
        for control in score.controls { events.append((tick(control.seconds), 1, control.bytes)) }
        for note in score.notes {
            let (start, end) = (tick(note.start), tick(note.end))
            events.append((start, 2, [0x90 | note.channel, note.key, note.velocity]))
            events.append((max(start + 1, end), 0, [0x80 | note.channel, note.key, 64]))
        }
        let sorted = events.enumerated().sorted {
            ($0.element.tick, $0.element.order, $0.offset) < ($1.element.tick, $1.element.order, $1.offset)
        }
        // A quarter note is a second.
        var track: [UInt8] = [0, 0xFF, 0x51, 3] + bigEndian(1_000_000, count: 3)
        var last = 0
        for (_, event) in sorted {
            track += length(event.tick - last) + event.bytes
            last = event.tick
        }
        track += [0, 0xFF, 0x2F, 0]
        return Array("MThd".utf8) + bigEndian(6, count: 4) + bigEndian(0, count: 2) + bigEndian(1, count: 2)
            + bigEndian(ticksPerSecond, count: 2) + Array("MTrk".utf8) + bigEndian(track.count, count: 4)
            + track
    }

    private static func bigEndian(_ value: Int, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A number in groups of seven bits.
    private static func length(_ value: Int) -> [UInt8] {
        var groups = [UInt8(value & 127)]
        var rest = value >> 7
        while rest > 0 {
            groups.insert(UInt8(rest & 127) | 128, at: 0)
            rest >>= 7
        }
        return groups
    }
}

private struct MIDIReader {
    let bytes: [UInt8]
    let name: String
    var position = 0

    private struct Event {
        let tick: Int
        let content: Content
    }

    private enum Content {
        case tempo(microseconds: Int)
        case message([UInt8])
    }

    mutating func score() throws -> Score {
        guard try text(4) == "MThd", try number(4) == 6 else { throw error("no MIDI file") }
        let format = try number(2)
        let trackCount = try number(2)
        let division = try number(2)
        guard format < 2 else { throw error("format \(format), expected 0 or 1") }
        guard (1..<0x8000).contains(division) else { throw error("ticks are not parts of a quarter note") }
        var events: [Event] = []
        for _ in 0..<trackCount where position < bytes.count { events += try track() }
        // Stable: events of one time keep the order of the tracks.
        let sorted = events.enumerated().sorted {
            ($0.element.tick, $0.offset) < ($1.element.tick, $1.offset)
        }
        return Self.score(sorted.map(\.element), division: division)
    }

    private static func score(_ events: [Event], division: Int) -> Score {
        var score = Score(notes: [], controls: [])
        var open: [[UInt8]: [Int]] = [:]
        var (seconds, tick, microseconds) = (0.0, 0, 500_000)
        for event in events {
            seconds += Double(event.tick - tick) * Double(microseconds) / 1e6 / Double(division)
            tick = event.tick
            switch event.content {
            case .tempo(let new): microseconds = new
            case .message(let bytes):
                let channel = bytes[0] & 15
                switch bytes[0] >> 4 {
                case 9 where bytes[2] > 0:
                    open[[channel, bytes[1]], default: []].append(score.notes.count)
                    score.notes.append(
                        .init(
                            start: seconds, end: .infinity, channel: channel, key: bytes[1],
                            velocity: bytes[2]))
                case 8, 9:
                    guard let note = open[[channel, bytes[1]]]?.first else { continue }
                    open[[channel, bytes[1]]]?.removeFirst()
                    score.notes[note].end = seconds
                default: score.controls.append(.init(seconds: seconds, bytes: bytes))
                }
            }
        }
        for index in score.notes.indices where score.notes[index].end == .infinity {
            score.notes[index].end = seconds
        }
        return score
    }

    private mutating func track() throws -> [Event] {
        guard try text(4) == "MTrk" else { throw error("expected a track") }
        let length = try number(4)
        let end = position + length
        guard end <= bytes.count else { throw error("a track reaches beyond the end") }
        var events: [Event] = []
        var (tick, status) = (0, UInt8(0))
        while position < end {
            tick += try variableLength()
            guard tick < 1 << 40 else { throw error("an event is too late") }
            var first = try byte()
            switch first {
            case 0xFF:
                let kind = try byte()
                let content = try block()
                if kind == 0x51, content.count == 3 {
                    let microseconds = content.reduce(0) { $0 << 8 | Int($1) }
                    events.append(Event(tick: tick, content: .tempo(microseconds: microseconds)))
                }
            case 0xF0, 0xF7: _ = try block()
            case 0xF1...0xFE: throw error("a message of status \(first) in a file")
            default:
                var data: [UInt8] = []
                if first >= 0x80 { status = first } else { (data, first) = ([first], status) }
                guard status >= 0x80 else { throw error("a message without a status") }
                let count = [0xC, 0xD].contains(status >> 4) ? 1 : 2
                while data.count < count { data.append(try byte() & 127) }
                events.append(Event(tick: tick, content: .message([first] + data)))
            }
        }
        position = end
        return events
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw error("it ends early") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number(_ count: Int) throws -> Int {
        try (0..<count).reduce(0) { sum, _ in sum << 8 | Int(try byte()) }
    }

    private mutating func text(_ count: Int) throws -> String {
        String(decoding: try (0..<count).map { _ in try byte() }, as: UTF8.self)
    }

    private mutating func variableLength() throws -> Int {
        var value = 0
        for _ in 0..<4 {
            let next = try byte()
            value = value << 7 | Int(next & 127)
            if next < 128 { return value }
        }
        throw error("a number of more than four bytes")
    }

    private mutating func block() throws -> ArraySlice<UInt8> {
        let count = try variableLength()
        guard position + count <= bytes.count else { throw error("it ends early") }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private func error(_ message: String) -> CorpusError {
        CorpusError(.unreadable, "\(name), byte \(position): \(message)")
    }
}
