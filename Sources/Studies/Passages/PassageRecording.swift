import AudioCore
import Corpora
import Degradations
import Evaluation

/// A long recording with airings of references, as its plan describes it.
///
/// It is made block by block, in memory that does not grow with it. Plan, corpus and seed decide every sample.
package struct PassageRecording: Sendable {
    package let plan: PassagePlanFile
    package let references: [PassageReference]
    /// The truth, in order of time.
    package let airings: [Airing]
    package var sampleRate: Int { schedule.sampleRate }
    package var frameCount: Int { schedule.frameCount }
    package var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    private let schedule: PassageSchedule
    private let sources: PassageSources
    private let material: any Material

    /// Increases when equal plans give other recordings than before.
    static let version = 1
    /// The RMS of every item.
    private static let level = 0.1
    /// The frames that are given away at once.
    private static let blockFrames = 1 << 15

    /// Draws references and airings.
    ///
    /// - Parameter folder: where decoded recordings may stay, in a file without a name.
    /// - Throws: ``ConfigurationError`` if the corpus has too few recordings, or too little of them is loud enough.
    package init(
        plan: PassagePlanFile, corpus: Corpus, material: any Material, folder: String
    ) throws {
        self.plan = plan
        self.material = material
        sources = try PassageSources(corpus: corpus, sampleRate: plan.sampleRate, folder: folder)
        references = try PassageReferences(plan: plan, corpus: corpus, sources: sources).list
        schedule = try PassageSchedule(plan: plan, references: references, corpus: corpus, sources: sources)
        airings = schedule.airings
    }

    package func audio(of reference: PassageReference) throws -> AudioBuffer {
        try reference.audio(from: sources)
    }

    /// Makes the recording and gives it to `body` block by block.
    package func render(_ body: (AudioBuffer) throws -> Void) throws {
        var channel = try PassageChannel(
            plan: plan, sampleRate: sampleRate, frameCount: frameCount, material: material)
        // The frames from `origin` on, to which items are still added.
        var mix: [Float] = []
        var origin = 0
        func give(upTo end: Int, isLast: Bool = false) throws {
            let count = min(mix.count, end - origin)
            let ready = Array(mix[..<count])
            mix.removeFirst(count)
            origin += count
            for block in try channel.process(ready, isLast: isLast) {
                for start in stride(from: 0, to: block.count, by: Self.blockFrames) {
                    let part = block[start..<min(block.count, start + Self.blockFrames)]
                    try body(AudioBuffer(samples: part.map { max(-1, min(1, $0)) }, sampleRate: sampleRate))
                }
            }
        }
        for (number, item) in schedule.items.enumerated() {
            try give(upTo: item.start)
            let end = min(frameCount, item.end) - origin
            if mix.count < end { mix.append(contentsOf: repeatElement(0, count: end - mix.count)) }
            try add(item, number, to: &mix, from: origin)
        }
        try give(upTo: frameCount, isLast: true)
    }

    /// What sounds in a stretch, in seconds.
    ///
    /// A chain gets the stretch alone. So the gain of a compressor may differ for a moment at the beginning.
    package func audio(in seconds: ClosedRange<Double>) throws -> AudioBuffer {
        func frame(_ seconds: Double) -> Int {
            min(frameCount, max(0, Int(bounded: (seconds * Double(sampleRate)).rounded())))
        }
        let range = frame(seconds.lowerBound)..<frame(seconds.upperBound)
        var mix = [Float](repeating: 0, count: range.count)
        for (number, item) in schedule.items.enumerated() where (item.start..<item.end).overlaps(range) {
            try add(item, number, to: &mix, from: range.lowerBound)
        }
        var channel = try PassageChannel(
            plan: plan, sampleRate: sampleRate, frameCount: range.count, material: material,
            startFrame: range.lowerBound)
        let samples = try channel.process(mix, isLast: true).flatMap(\.self)
        return AudioBuffer(samples: samples.map { max(-1, min(1, $0)) }, sampleRate: sampleRate)
    }

    /// Adds an item to the frames from `origin` on, as far as there are any.
    private func add(
        _ item: PassageSchedule.Item, _ number: Int, to mix: inout [Float], from origin: Int
    ) throws {
        let offset = item.start - origin
        try samples(of: item, number).withUnsafeBufferPointer { samples in
            mix.withUnsafeMutableBufferPointer { mix in
                let end = min(mix.count, offset + samples.count)
                for place in max(0, offset)..<max(0, offset, end) { mix[place] += samples[place - offset] }
            }
        }
    }

    /// The faded samples of an item.
    private func samples(of item: PassageSchedule.Item, _ number: Int) throws -> [Float] {
        var generator = SeededGenerator(seed: plan.seed, "passages", "item", "\(number)")
        var samples: [Float]
        switch item.content {
        case .silence: return [Float](repeating: 0, count: item.count)
        case .music(let track, let frame):
            samples = try sources.audio(of: track).frames(frame..<(frame + item.count)).samples
        case .speech:
            samples = try material.excerpt(
                of: .wideSpeech, frameCount: item.count, sampleRate: sampleRate, using: &generator)
        case .airing(let excerpt):
            samples = try self.samples(of: excerpt, count: item.count, using: &generator)
        }
        let power = AudioBuffer(samples: samples, sampleRate: sampleRate).meanPowerAC
        let gain = power > 0 ? Float(Self.level / power.squareRoot()) : 1
        samples.withUnsafeMutableBufferPointer { samples in
            for place in samples.indices { samples[place] *= gain }
            // The squares of both gains add up to 1.
            for place in 0..<item.fadeIn {
                samples[place] *= Float(sin((Double(place) + 0.5) / Double(item.fadeIn) * .pi / 2))
            }
            for place in 0..<item.fadeOut {
                samples[samples.count - 1 - place] *= Float(
                    sin((Double(place) + 0.5) / Double(item.fadeOut) * .pi / 2))
            }
        }
        return samples
    }

    private func samples(
        of excerpt: PassageSchedule.Excerpt, count: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        let reference = try audio(of: excerpt.reference)
        let rate = Double(sampleRate)
        let chain = DegradationChain(steps: excerpt.skew.map { [$0.step] } ?? [])
        let clip = try chain.render(
            source: reference, startSeconds: Double(excerpt.frame) / rate,
            lengthSeconds: Double(count) / rate, material: material)
        var samples = clip.audio.samples
        guard let voice = excerpt.voiceOver else { return samples }
        let design = plan.voiceOver
        var spoken = Clip(AudioBuffer(samples: Array(samples[voice]), sampleRate: sampleRate))
        try VoiceOver(
            duckDecibels: design.duckDecibels, snrDecibels: design.snrDecibels,
            seed: UInt64(generator.index(below: Int(Int32.max)))
        ).apply(to: &spoken, material: material)
        // A louder sum was scaled down.
        let scale = Float(Decibels.amplitudeRatio(-(spoken.measurements["scaleDecibels"] ?? 0)))
        let edge = min(voice.count / 2, sampleRate / 20)
        for place in 0..<voice.count {
            let share = min(1, Float(min(place, voice.count - 1 - place)) / Float(max(1, edge)))
            let own = samples[voice.lowerBound + place]
            samples[voice.lowerBound + place] = own + share * (spoken.audio.samples[place] * scale - own)
        }
        return samples
    }
}

/// Sends a recording through a chain part by part.
///
/// Degradations know whole clips only. Parts overlap, and pass into each other where a processor's gain has settled.
struct PassageChannel {
    private static let partSeconds = 60.0
    private static let marginSeconds = 2.0
    private static let joinSeconds = 0.5

    private let plan: PassagePlanFile
    private let sampleRate: Int
    private let frameCount: Int
    private let material: any Material
    private let part: Int
    private let margin: Int
    private let join: Int
    /// The number of the first part.
    private let first: Int
    /// The samples from `origin` on.
    private var waiting: [Float] = []
    private var origin = 0
    private var next = 0
    /// The end of the last part, which passes into the next.
    private var tail: [Float] = []

    /// - Parameter startFrame: the place of the first sample in the whole recording.
    init(
        plan: PassagePlanFile, sampleRate: Int, frameCount: Int, material: any Material, startFrame: Int = 0
    ) throws {
        self.plan = plan
        self.sampleRate = sampleRate
        self.frameCount = frameCount
        self.material = material
        func frames(_ seconds: Double) -> Int { Int(bounded: seconds * Double(sampleRate)) }
        part = frames(Self.partSeconds)
        margin = frames(Self.marginSeconds)
        join = frames(Self.joinSeconds)
        first = startFrame / part
    }

    /// Takes the next samples and returns what is finished.
    mutating func process(_ samples: [Float], isLast: Bool) throws -> [[Float]] {
        guard !plan.chain.isEmpty else { return samples.isEmpty ? [] : [samples] }
        waiting += samples
        var finished: [[Float]] = []
        while next < frameCount, isLast || origin + waiting.count >= next + part + margin + join {
            finished.append(try finishPart())
        }
        return finished
    }

    private mutating func finishPart() throws -> [Float] {
        let end = min(frameCount, next + part)
        let from = max(0, next - margin)
        let to = min(frameCount, end + join + margin)
        let input = AudioBuffer(
            samples: Array(waiting[(from - origin)..<(to - origin)]), sampleRate: sampleRate)
        var generator = SeededGenerator(seed: plan.seed, "passages", "chain", "\(first + next / part)")
        let chain = DegradationChain(steps: try plan.chain.map { try $0.draw(using: &generator) })
        let rate = Double(sampleRate)
        let silence = input.meanPower == 0
        var output = input.samples
        if !silence {
            var clip = try chain.render(
                source: input, startSeconds: 0, lengthSeconds: input.durationSeconds, material: material)
            if clip.audio.sampleRate != sampleRate {
                try Resample(sampleRateHertz: sampleRate).apply(to: &clip, material: material)
            }
            // A codec's delay is taken out.
            let delay = Int(bounded: (clip.timeMap.inverse(0) * rate).rounded())
            let degraded = clip.audio.mono()
            output = output.indices.map { place in
                degraded.indices.contains(place + delay) ? degraded[place + delay] : 0
            }
        }
        var made = Array(output[(next - from)..<(min(to, end + join) - from)])
        for (place, old) in tail.enumerated() where place < made.count {
            let share = (Float(place) + 0.5) / Float(tail.count)
            made[place] = old + share * (made[place] - old)
        }
        let whole = end - next
        tail = Array(made[whole...])
        next = end
        let past = max(0, next - margin - origin)
        waiting.removeFirst(min(past, waiting.count))
        origin += past
        return Array(made[..<whole])
    }
}
