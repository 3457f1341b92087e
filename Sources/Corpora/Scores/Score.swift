import AudioCore

/// The notes and controls of a piece, in seconds, without an instrument.
package struct Score: Hashable, Sendable {
    package struct Note: Hashable, Sendable {
        package var start: Double
        package var end: Double
        package var channel: UInt8
        package var key: UInt8
        package var velocity: UInt8

        package init(start: Double, end: Double, channel: UInt8, key: UInt8, velocity: UInt8) {
            self.start = start
            self.end = end
            self.channel = channel
            self.key = key
            self.velocity = velocity
        }
    }

    /// A channel message that is no note, such as a change of program or of volume.
    package struct Control: Hashable, Sendable {
        package var seconds: Double
        package var bytes: [UInt8]

        package init(seconds: Double, bytes: [UInt8]) {
            self.seconds = seconds
            self.bytes = bytes
        }

        package var channel: UInt8 { bytes[0] & 15 }
        package var isVolume: Bool { bytes[0] >> 4 == 0xB && bytes[1] == 7 }
    }

    /// In the order of their starts.
    package var notes: [Note]
    /// In the order of their times.
    package var controls: [Control]

    package init(notes: [Note], controls: [Control]) {
        self.notes = notes
        self.controls = controls
    }

    /// The channel of drums in General MIDI, whose keys are instruments.
    package static let drums: UInt8 = 9

    package var channels: [UInt8] { Set(notes.map(\.channel)).sorted() }

    /// The end of the last note.
    package var seconds: Double { notes.map(\.end).max() ?? 0 }

    /// The score from its first note on, for `seconds`.
    package func beginning(seconds: Double) -> Score {
        let first = notes.map(\.start).min() ?? 0
        var score = self
        score.notes = notes.compactMap { note in
            var note = note
            note.start -= first
            note.end = min(note.end - first, seconds)
            return note.start < seconds ? note : nil
        }
        score.controls = controls.compactMap { control in
            var control = control
            control.seconds = max(0, control.seconds - first)
            return control.seconds < seconds ? control : nil
        }
        return score
    }
}

extension Score {
    /// The same notes in another tempo and key: 4 to 10 % faster or slower, 1 to 3 semitones higher or lower.
    ///
    /// Tempo and key do not change together as by a change of speed.
    package func inOtherTempoAndKey(using generator: inout SeededGenerator) -> Score {
        let percent = generator.uniform(in: 4...10)
        let isFaster = generator.index(below: 2) == 0
        let steps = 1 + generator.index(below: 3)
        let factor = isFaster ? 1 / (1 + percent / 100) : 1 + percent / 100
        var score = self
        score.notes = notes.compactMap { note in
            var note = note
            note.start *= factor
            note.end *= factor
            guard note.channel != Self.drums else { return note }
            let key = Int(note.key) + (isFaster ? -steps : steps)
            note.key = UInt8(max(0, min(127, key)))
            return (0...127).contains(key) ? note : nil
        }
        for index in controls.indices { score.controls[index].seconds *= factor }
        return score
    }

    /// The same notes played again: each is up to 30 ms early or late and has another velocity, and the tempo drifts.
    package func playedAgain(using generator: inout SeededGenerator) -> Score {
        var score = self
        // Triangles, so that no function of the C library decides a sample.
        let period = generator.uniform(in: 8...16)
        func drift(_ seconds: Double) -> Double {
            let phase = (seconds / period).truncatingRemainder(dividingBy: 1)
            return 0.06 * (phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase)
        }
        for index in notes.indices {
            let note = notes[index]
            let late = (0..<3).reduce(0) { sum, _ in sum + generator.uniform(in: -0.01...0.01) }
            let start = max(0, note.start + drift(note.start) + late)
            score.notes[index].start = start
            score.notes[index].end = max(start + 0.02, note.end + drift(note.end) + late)
            let velocity = (Double(note.velocity) * generator.uniform(in: 0.75...1.25)).rounded()
            score.notes[index].velocity = UInt8(clamping: max(1, min(127, Int(bounded: velocity))))
        }
        score.notes.sort { $0.start < $1.start }
        return score
    }

    /// The same take with half of its channels 6 to 12 dB lower, and the others up to 3 dB higher.
    package func mixedAgain(using generator: inout SeededGenerator) -> Score {
        let channels = channels.shuffled(using: &generator)
        let lower = (channels.count + 1) / 2
        let gains = Dictionary(
            uniqueKeysWithValues: channels.enumerated().map { place, channel in
                (channel, place < lower ? generator.uniform(in: -12 ... -6) : generator.uniform(in: 0...3))
            })
        /// The level of a channel is 40 lg(volume / 127) dB.
        func volume(_ value: UInt8, _ channel: UInt8) -> UInt8 {
            let wanted = Double(value) * PortableMath.amplitude(decibels: (gains[channel] ?? 0) / 2)
            return UInt8(clamping: min(127, Int(bounded: wanted.rounded())))
        }
        var score = self
        for index in controls.indices where controls[index].isVolume {
            score.controls[index].bytes[2] = volume(controls[index].bytes[2], controls[index].channel)
        }
        let standard: UInt8 = 100
        score.controls.insert(
            contentsOf: channels.sorted().map { channel in
                Control(seconds: 0, bytes: [0xB0 | channel, 7, volume(standard, channel)])
            }, at: 0)
        return score
    }

    /// The busiest `length` seconds of drums and the busiest other channel, again and again for `total` seconds.
    package func looped(length: Double, total: Double) -> Score {
        let counts = Dictionary(grouping: notes.filter { $0.channel != Self.drums }, by: \.channel)
            .mapValues(\.count)
        let busiest = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let played = notes.filter { $0.channel == Self.drums || $0.channel == busiest }
        let starts = played.map(\.start).filter { $0 + length <= total }
        func count(_ start: Double) -> Int {
            played.count { $0.start >= start && $0.start < start + length }
        }
        let start = starts.max { (count($0), $1) < (count($1), $0) } ?? 0
        let part = played.filter { $0.start >= start && $0.start < start + length }
        var score = Score(notes: [], controls: [])
        score.controls = controls.filter {
            $0.seconds <= start && [Self.drums, busiest].contains($0.channel)
        }
        .map { Control(seconds: 0, bytes: $0.bytes) }
        for turn in stride(from: 0.0, to: total, by: length) {
            score.notes += part.map { note in
                var note = note
                note.end = turn + min(note.end - start, length)
                note.start = turn + note.start - start
                return note
            }
        }
        return score
    }
}
