import AudioCore

/// What a player has been told to play, one event after another, and how far it is.
///
/// Frames are those of the player's time, at the rate of its output.
struct PlayerSchedule {
    enum Interruption {
        case atOnce
        /// At the end of the pass that plays.
        case atLoop
    }

    enum Start {
        case frame(Int)
        case host(UInt64)
    }

    struct Event {
        let sound: PlayerSound
        /// Nil: as soon as the event before it has ended.
        var start: Start?
        /// Nil repeats until another event interrupts.
        var passes: Int? = 1
        /// Ends all events before it.
        var interruption: Interruption?
        let endType: AVAudioPlayerNodeCompletionCallbackType
        /// Called once, when the event has ended or was removed.
        let end: @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void
        var hasBegun = false

        fileprivate func isDue(at frame: Int) -> Bool { startFrame.map { $0 <= frame } ?? true }

        fileprivate var startFrame: Int? { if case .frame(let frame) = start { frame } else { nil } }
    }

    private(set) var position = 0
    private(set) var events: [Event] = []

    mutating func add(_ event: Event) { events.append(event) }

    /// Renders the next frames as planes, silence where nothing plays; also returns the events that ended.
    ///
    /// - Parameter hostTime: That of the first frame; nil ignores the host times of events.
    mutating func render(
        _ count: Int, in format: AVAudioFormat, hostTime: UInt64?
    ) -> (planes: [Float], ended: [Event]) {
        resolveHostTimes(hostTime, rate: format.sampleRate)
        let channels = Int(format.channelCount)
        var planes = [Float](repeating: 0, count: count * channels)
        var ended: [Event] = []
        var done = 0
        while done < count {
            let now = position + done
            let interrupting = events.indices.dropFirst().last {
                events[$0].interruption == .atOnce && events[$0].isDue(at: now)
            }
            if let interrupting { ended += removeFirst(interrupting) }
            guard let event = events.first else { break }
            // An event that interrupts later ends the piece.
            let limit = events.dropFirst().filter { $0.interruption == .atOnce }.compactMap(\.startFrame)
                .reduce(count) { min($0, $1 - position) }
            if !event.hasBegun {
                let start = max(now, event.startFrame ?? now) - position
                done = min(start, limit)
                guard start < limit else { continue }
                events[0].hasBegun = true
            }
            let piece = event.sound.next(limit - done, in: format)
            for channel in 0..<channels {
                let source = channel * piece.frames
                planes.replaceSubrange(
                    channel * count + done..<channel * count + done + piece.frames,
                    with: piece.planes[source..<source + piece.frames])
            }
            done += piece.frames
            if event.sound.isOver || done < limit {
                ended += endPass(at: position + done, isEmpty: piece.frames == 0 && event.sound.isEmpty)
            }
        }
        position += count
        return (planes, ended)
    }

    /// Begins the next pass of the first event, or removes it.
    private mutating func endPass(at frame: Int, isEmpty: Bool) -> [Event] {
        let interrupting = events.indices.dropFirst().last {
            events[$0].interruption == .atLoop && events[$0].isDue(at: frame)
        }
        if let interrupting { return removeFirst(interrupting) }
        if let passes = events[0].passes { events[0].passes = passes - 1 }
        guard !isEmpty, events[0].passes != 0 else { return removeFirst(1) }
        events[0].sound.rewind()
        return []
    }

    private mutating func removeFirst(_ count: Int) -> [Event] {
        defer { events.removeFirst(count) }
        return Array(events.prefix(count))
    }

    private mutating func resolveHostTimes(_ now: UInt64?, rate: Double) {
        for place in events.indices {
            guard case .host(let time) = events[place].start else { continue }
            events[place].start = now.map { now in
                let seconds = AVAudioTime.seconds(forHostTime: time) - AVAudioTime.seconds(forHostTime: now)
                return .frame(position + Int(bounded: (seconds * rate).rounded()))
            }
        }
    }
}
