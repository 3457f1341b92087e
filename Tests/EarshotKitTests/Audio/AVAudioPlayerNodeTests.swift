import AudioCore
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Players in an engine that renders by hand: every sample that comes out is known.
struct AVAudioPlayerNodeTests {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()

    private static func format(_ rate: Double = 48_000, channels: AVAudioChannelCount = 1) -> AVAudioFormat {
        AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels)!
    }

    private static func noise(_ seed: UInt64, frames: Int, rate: Int = 48_000, channels: Int = 1)
        -> AudioBuffer
    {
        TestSignals.noise(
            seed: seed, seconds: Double(frames) / Double(rate), sampleRate: rate, channelCount: channels)
    }

    private func start(_ format: AVAudioFormat = format()) throws {
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
        try engine.start()
    }

    /// Renders frames in blocks of random lengths; the planes of the channels follow one another.
    private func render(_ frames: Int, seed: UInt64 = 1) throws -> [[Float]] {
        var random = SeededGenerator(seed: seed)
        let format = engine.manualRenderingFormat
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096))
        var planes = [[Float]](repeating: [], count: Int(format.channelCount))
        while planes[0].count < frames {
            let count = Int.random(in: 1...min(4096, frames - planes[0].count), using: &random)
            #expect(try engine.renderOffline(AVAudioFrameCount(count), to: buffer) == .success)
            let audio = try buffer.samples()
            #expect(audio.frameCount == count)
            for channel in planes.indices { planes[channel] += audio.channel(channel) }
        }
        return planes
    }

    private func play(_ audio: AudioBuffer, at start: Int? = nil) {
        player.scheduleBuffer(
            audio.pcmBuffer(),
            at: start.map {
                AVAudioTime(sampleTime: AVAudioFramePosition($0), atRate: Double(audio.sampleRate))
            })
    }

    // MARK: - Samples

    /// Buffers that follow one another sound as one, whatever their lengths and those of the rendered blocks.
    @Test(arguments: [(48_000, 1), (44_100, 2), (8000, 3)], [1, 2] as [UInt64])
    func scheduledBuffersComeOutUnchanged(format: (rate: Int, channels: Int), seed: UInt64) throws {
        let audio = Self.noise(seed, frames: 9973, rate: format.rate, channels: format.channels)
        try start(Self.format(Double(format.rate), channels: AVAudioChannelCount(format.channels)))
        player.play()
        var random = SeededGenerator(seed: seed)
        var first = 0
        while first < audio.frameCount {
            let next = min(audio.frameCount, first + Int.random(in: 1...3000, using: &random))
            play(audio.frames(first..<next))
            first = next
        }
        let heard = try render(audio.frameCount + 500, seed: seed)
        for channel in 0..<format.channels {
            #expect(heard[channel] == audio.channel(channel) + [Float](repeating: 0, count: 500))
        }
        #expect(engine.manualRenderingSampleTime == AVAudioFramePosition(audio.frameCount + 500))
    }

    @Test func filesAndTheirPartsComeOutUnchanged() throws {
        let folder = try TemporaryFolder()
        let audio = Self.noise(3, frames: 10_000, rate: 44_100, channels: 2)
        let url = URL(fileURLWithPath: folder.file("noise.wav"))
        let format = Self.format(44_100, channels: 2)
        let written = try AVAudioFile(forWriting: url, settings: format.settings)
        try written.write(from: audio.pcmBuffer())
        written.close()
        let file = try AVAudioFile(forReading: url)
        try start(format)
        player.scheduleSegment(file, startingFrame: 7000, frameCount: 500, at: nil)
        player.scheduleFile(file, at: nil)
        // Ends with the file.
        player.scheduleSegment(file, startingFrame: 9900, frameCount: 1000, at: nil)
        player.scheduleSegment(file, startingFrame: 20_000, frameCount: 1000, at: nil)
        player.scheduleSegment(file, startingFrame: 100, frameCount: 1, at: nil)
        player.play()
        for (channel, plane) in try render(10_611).enumerated() {
            let all = Array(audio.channel(channel))
            let expected = all[7000..<7500] + all + all[9900...] + [all[100]]
            #expect(plane == expected + [Float](repeating: 0, count: 10))
        }
        #expect(file.framePosition == 0)
    }

    /// The engine has no time to decode what comes before a segment: once it is scheduled, that is not read again.
    @Test func aSegmentIsFoundWhenItIsScheduled() throws {
        let folder = try TemporaryFolder()
        let audio = Self.noise(5, frames: 480_000)
        let url = URL(fileURLWithPath: folder.file("noise.flac"))
        let written = try AVAudioFile(
            forWriting: url,
            settings: [AVFormatIDKey: kAudioFormatFLAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
        try written.write(from: audio.pcmBuffer())
        written.close()
        let file = try AVAudioFile(forReading: url)
        let expected = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 4000))
        file.framePosition = 400_000
        try file.read(into: expected)
        try start()
        player.scheduleSegment(file, startingFrame: 400_000, frameCount: 4000, at: nil)
        let bytes = try FileHandle(forUpdating: url)
        let size = Int(try bytes.seekToEnd())
        try bytes.seek(toOffset: UInt64(size / 10))
        try bytes.write(contentsOf: Data(count: size / 2))
        try bytes.close()
        player.play()
        #expect(try render(4000)[0] == expected.samples().samples)
    }

    @Test func anotherRateIsConverted() throws {
        try start()
        let sine = TestSignals.sine(frequency: 500, seconds: 1, sampleRate: 22_050)
        player.scheduleBuffer(sine.pcmBuffer())
        player.play()
        let heard = try render(49_000)[0]
        let expected = TestSignals.sine(frequency: 500, seconds: 1, sampleRate: 48_000).samples
        let differences = zip(heard[2000..<46_000], expected[2000..<46_000]).map { abs($0 - $1) }
        #expect(differences.max()! < 1e-3)
        #expect(heard[48_000...].allSatisfy { $0 == 0 })
    }

    /// A connection at one rate and an engine at another.
    @Test func theMixerConverts() throws {
        engine.connect(player, to: engine.mainMixerNode, format: Self.format(22_050))
        try engine.enableManualRenderingMode(
            .offline, format: Self.format(channels: 2), maximumFrameCount: 4096)
        try engine.start()
        player.scheduleBuffer(TestSignals.sine(frequency: 500, seconds: 1, sampleRate: 22_050).pcmBuffer())
        player.play()
        let heard = try render(48_000)
        #expect(heard[0] == heard[1])
        let expected = TestSignals.sine(frequency: 500, seconds: 1, sampleRate: 48_000).samples
        let differences = zip(heard[0][2000..<46_000], expected[2000..<46_000]).map { abs($0 - $1) }
        #expect(differences.max()! < 1e-3)
    }

    @Test func playersAddUpAndHaveVolumes() throws {
        let second = AVAudioPlayerNode()
        try start(Self.format(channels: 2))
        engine.connect(second, to: engine.mainMixerNode, format: Self.format())
        #expect(engine.mainMixerNode.numberOfInputs == 3)
        let (one, other) = (
            Self.noise(4, frames: 3000, channels: 2), Self.noise(5, frames: 3000)
        )
        play(one)
        second.scheduleBuffer(other.pcmBuffer())
        player.volume = 0.5
        player.pan = 1
        for node in [player, second] { node.play() }
        let heard = try render(3000)
        #expect(heard[0] == other.samples)
        #expect(heard[1] == zip(one.channel(1), other.samples).map { 0.5 * $0 + $1 })
        engine.disconnectNodeOutput(second)
        #expect(try render(100) == [[Float](repeating: 0, count: 100), [Float](repeating: 0, count: 100)])
    }

    // MARK: - Times

    @Test func eventsPlayAtTheirTimesOrOneAfterAnother() throws {
        try start()
        let pieces = (0..<4).map { Self.noise(10 + UInt64($0), frames: 1000) }
        for (piece, time) in zip(pieces, [500, nil, 2000, 4000] as [Int?]) { play(piece, at: time) }
        player.play()
        let silence = [Float](repeating: 0, count: 500)
        // The third is late, because the second ends at 2,500.
        let expected =
            silence + pieces[0].samples + pieces[1].samples + pieces[2].samples + silence + pieces[3].samples
        #expect(try render(5000)[0] == expected)
    }

    /// What the microphone heard is older than what the loudspeaker will play.
    @Test func aHostTimeIsWhenTheSoundIsHeard() throws {
        let audio = Self.noise(4, frames: 960)
        let heard = RecordedAudio()
        engine.connect(player, to: engine.mainMixerNode, format: Self.format())
        player.installTap(onBus: 0, bufferSize: 960, format: nil) { heard.add($0, $1) }
        let now = AVAudioTime.now()
        for (start, isHeard) in [(now + AVAudioTime.hostTime(forSeconds: 3600), false), (now, true)] {
            player.stop()
            play(audio)
            player.play(at: AVAudioTime(hostTime: start))
            let silence = AudioBuffer(silentFrames: 960, sampleRate: 48_000)
            try engine.graph.render(
                MicrophoneRecording.Block(
                    audio: silence, firstFrame: 0, hostTime: now - AVAudioTime.hostTime(forSeconds: 1)))
            let last = try #require(heard.pieces.last)
            #expect(last.audio == (isHeard ? audio : silence))
        }
    }

    @Test func aPlayerStartsAtATimeAndPausesWithoutLoss() throws {
        try start()
        let audio = Self.noise(20, frames: 2000)
        play(audio)
        _ = try render(100)
        player.play(at: AVAudioTime(sampleTime: 300, atRate: 48_000))
        #expect(try render(700)[0] == [Float](repeating: 0, count: 200) + audio.samples.prefix(500))
        let rendered = try #require(player.lastRenderTime)
        let time = try #require(player.playerTime(forNodeTime: rendered))
        #expect(rendered.sampleTime - time.sampleTime == 300)
        #expect(player.nodeTime(forPlayerTime: time) == rendered)
        player.pause()
        #expect(!player.isPlaying && player.playerTime(forNodeTime: rendered) == nil)
        #expect(try render(400)[0].allSatisfy { $0 == 0 })
        player.play()
        #expect(try render(1500)[0] == Array(audio.samples[500...]))
        let later = try #require(player.lastRenderTime)
        let position = try #require(player.playerTime(forNodeTime: later)).sampleTime
        #expect(later.sampleTime - position == 700)
        player.stop()
        play(audio)
        player.play()
        #expect(try render(2000)[0] == audio.samples)
    }

    // MARK: - Loops, interruptions and handlers

    /// One event, and a model of how it plays.
    private struct Plan {
        let samples: [Float]
        let start: Int?
        let options: AVAudioPlayerNodeBufferOptions

        func isDue(_ frame: Int) -> Bool { start.map { $0 <= frame } ?? true }
    }

    /// What a player of plans sounds like, frame by frame.
    private func model(_ plans: [Plan], frames: Int) -> (samples: [Float], left: Int) {
        var (queue, place, began) = (plans, 0, false)
        var samples: [Float] = []
        for frame in 0..<frames {
            if let next = queue.indices.dropFirst().last(where: {
                queue[$0].options.contains(.interrupts) && queue[$0].isDue(frame)
            }) {
                queue.removeFirst(next)
                (place, began) = (0, false)
            }
            guard let plan = queue.first, began || plan.isDue(frame) else {
                samples.append(0)
                continue
            }
            began = true
            samples.append(plan.samples[place])
            place += 1
            guard place == plan.samples.count else { continue }
            place = 0
            if let next = queue.indices.dropFirst().last(where: {
                queue[$0].options.contains(.interruptsAtLoop) && queue[$0].isDue(frame + 1)
            }) {
                queue.removeFirst(next)
                began = false
            } else if !plan.options.contains(.loops) {
                queue.removeFirst()
                began = false
            }
        }
        return (samples, queue.count)
    }

    @Test(.timeLimit(.minutes(5)), arguments: 1...20 as ClosedRange<UInt64>)
    func anySchedulePlaysAsItsModel(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var plans: [Plan] = []
        for number in 0..<UInt64(Int.random(in: 1...7, using: &random)) {
            let length = Int.random(in: 1...700, using: &random)
            let isTimed = Bool.random(using: &random)
            plans.append(
                Plan(
                    samples: Self.noise(seed * 100 + number, frames: length).samples,
                    start: isTimed ? Int.random(in: 0...4000, using: &random) : nil,
                    options: [[], [], .loops, .interrupts, .interruptsAtLoop, [.loops, .interrupts]]
                        .randomElement(using: &random)!))
        }
        try start()
        let ends = Mutex<[Int]>([])
        for (number, plan) in plans.enumerated() {
            player.scheduleBuffer(
                AudioBuffer(samples: plan.samples, sampleRate: 48_000).pcmBuffer(),
                at: plan.start.map { AVAudioTime(sampleTime: AVAudioFramePosition($0), atRate: 48_000) },
                options: plan.options
            ) { ends.withLock { $0.append(number) } }
        }
        player.play()
        let expected = model(plans, frames: 5000)
        #expect(try render(5000, seed: seed)[0] == expected.samples)
        #expect(try await eventually { ends.withLock { $0.count } >= plans.count - expected.left })
        #expect(ends.withLock { $0 } == Array(0..<(plans.count - expected.left)))
        player.stop()
        #expect(try await eventually { ends.withLock { $0.count } >= plans.count })
        player.stop()
        try await Task.sleep(for: .milliseconds(20))
        #expect(ends.withLock { $0 } == Array(plans.indices))
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [AVAudioPlayerNodeCompletionCallbackType.dataConsumed, .dataRendered, .dataPlayedBack])
    func handlersSayHowFarTheSoundIs(type: AVAudioPlayerNodeCompletionCallbackType) async throws {
        try start()
        let told = Mutex<[AVAudioPlayerNodeCompletionCallbackType]>([])
        player.scheduleBuffer(
            Self.noise(1, frames: 100).pcmBuffer(), completionCallbackType: type
        ) { type in told.withLock { $0.append(type) } }
        player.play()
        _ = try render(99)
        try await Task.sleep(for: .milliseconds(20))
        #expect(told.withLock { $0 } == [])
        _ = try render(1)
        #expect(try await eventually { told.withLock { !$0.isEmpty } })
        #expect(told.withLock { $0 } == [type])
    }

    @Test(.timeLimit(.minutes(5))) func aTaskMayWaitForTheEnd() async throws {
        try start()
        player.play()
        let player = player
        let buffer = Self.noise(1, frames: 100).pcmBuffer()
        async let end: Void = player.scheduleBuffer(buffer)
        let block = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 10))
        let rendering = Task { [engine] in
            while !Task.isCancelled { _ = try engine.renderOffline(10, to: block) }
        }
        await end
        rendering.cancel()
        _ = await rendering.result
    }

    /// A player that is released or detached calls the handlers of what it has not played.
    @Test(.timeLimit(.minutes(5))) func aReleasedPlayerCallsItsHandlers() async throws {
        let count = Mutex(0)
        do {
            let player = AVAudioPlayerNode()
            for seed in 0..<3 {
                player.scheduleBuffer(Self.noise(UInt64(seed), frames: 10).pcmBuffer()) {
                    count.withLock { $0 += 1 }
                }
            }
        }
        #expect(try await eventually { count.withLock { $0 } == 3 })
    }

    // MARK: - Rendering by hand

    private func code(_ work: () throws -> Void) -> AVFAudioError.Code? {
        do { try work() } catch { return (error as? AVFAudioError)?.code }
        return nil
    }

    @Test func misuseIsAnErrorWithItsCode() throws {
        let format = Self.format()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 5000))
        let narrow = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(8000), frameCapacity: 100))
        let short = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 99))
        #expect(code { _ = try engine.renderOffline(1, to: buffer) } == .invalidRenderingMode)
        #expect(engine.manualRenderingMaximumFrameCount == 0 && !engine.isInManualRenderingMode)
        try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 4096)
        #expect(engine.isInManualRenderingMode && engine.manualRenderingMode == .realtime)
        #expect(engine.manualRenderingFormat == format && engine.outputNode.outputFormat(forBus: 0) == format)
        #expect(code { _ = try engine.renderOffline(1, to: buffer) } == .notRunning)
        try engine.start()
        #expect(
            code {
                try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 1)
            } == .isRunning)
        #expect(code { _ = try engine.renderOffline(4097, to: buffer) } == .tooManyFrames)
        #expect(code { _ = try engine.renderOffline(100, to: short) } == .tooManyFrames)
        #expect(code { _ = try engine.renderOffline(10, to: narrow) } == .unsupportedFormat)
        #expect(try engine.renderOffline(4096, to: buffer) == .success)
        #expect(try engine.renderOffline(0, to: buffer) == .success)
        #expect(engine.manualRenderingSampleTime == 4096 && buffer.frameLength == 0)
        engine.reset()
        #expect(engine.manualRenderingSampleTime == 0)
        engine.disableManualRenderingMode()
        #expect(!engine.isRunning && !engine.isInManualRenderingMode)
    }

    @Test func tapsHearWhatIsRenderedAndCannotRender() throws {
        try start()
        let audio = Self.noise(6, frames: 4000)
        play(audio)
        player.play()
        let heard = RecordedAudio()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 10))
        let statuses = Mutex<Set<AVAudioEngineManualRenderingStatus?>>([])
        let engine = engine
        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1000, format: nil) { piece, time in
            heard.add(piece, time)
            let status = try? engine.renderOffline(10, to: buffer)
            statuses.withLock { _ = $0.insert(status) }
        }
        _ = try render(4000)
        #expect(heard.samples() == audio.samples)
        #expect(heard.pieces.map(\.time.sampleTime) == [0, 1000, 2000, 3000])
        #expect(heard.pieces.allSatisfy { !$0.time.isHostTimeValid })
        #expect(statuses.withLock { $0 } == [.cannotDoInCurrentContext])
    }

    /// A session follows a song that is rendered faster than it plays.
    @Test func aRenderedSongIsMatched() throws {
        let session = SHSession(catalog: try SongBook.catalog(), clock: PlaybackClock(ManualClock()))
        let outcomes = DelegateOutcomes()
        session.delegate = outcomes
        let song = SongBook.songs[2].render(from: 5, seconds: 6)
        try start(Self.format(Double(song.sampleRate)))
        play(song)
        player.play()
        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1600, format: nil) {
            session.matchStreamingBuffer($0, at: $1)
        }
        _ = try render(song.frameCount)
        let match = try #require(outcomes.matches.withLock { $0.first })
        #expect(match.mediaItems.map(\.title) == [SongBook.title(2)])
        #expect(abs(match.mediaItems[0].matchOffset - 5) < 0.05)
    }
}
