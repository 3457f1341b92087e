import AudioCore
import Corpora
import Degradations
import Evaluation
import SystemIO

/// The queries of a search for limits: a pure function of corpus, plan file and seed.
///
/// A query is one place of one recording. Along an axis it begins at the same frame and has the same random seeds, so
/// that only the severity changes.
package struct FrontierPlan: Sendable {
    package let file: FrontierFile
    package let base: Plan
    /// SHA-256 over queries and axes, in hexadecimal.
    package let digest: String
    let reachSeconds: Double
    private let mostRungs: Int

    /// - Throws: ``ConfigurationError`` when a chain cannot be drawn or no track is long enough.
    package init(
        file: FrontierFile, corpus: Corpus, material: CorpusMaterial, half: CorpusHalf? = nil,
        seed: UInt64? = nil
    ) throws {
        let (reach, content) = try Self.reach(of: file, QueryRecipe(corpus: corpus, material: material))
        // With a margin before the start too, which steps that change time use.
        let seconds = ((reach + DegradationChain.marginSeconds) * 10).rounded(.up) / 10
        let cell = Cell(degradation: "query", severity: "", severityValue: nil, lengthSeconds: seconds)
        let member = PlanFile.Member(cell: cell, chain: [])
        let family = PlanFile.Family(name: cell.degradation, members: [member])
        var head = file.head
        head.digest = content
        let plan = PlanFile(head, positives: .trials(file.queries), families: [family])
        let base = try Plan(file: plan, corpus: corpus, material: material, half: half, seed: seed)
        self.init(file: file, base: base, digest: base.digest, reachSeconds: reach)
    }

    /// Takes recorded queries, each from its beginning.
    ///
    /// - Throws: ``ConfigurationError`` when a chain cannot be drawn or no query is long enough.
    package init(
        file: FrontierFile, recorded: RecordedQueries, material: CorpusMaterial, half: CorpusHalf? = nil,
        seed: UInt64? = nil
    ) throws {
        let recipe = QueryRecipe(corpus: recorded.corpus, material: material)
        let (reach, content) = try Self.reach(of: file, recipe)
        let seed = seed ?? file.seed
        let own = half == nil ? recorded : recorded.joined(half: half)
        let drawn = own.drawn(file.queries, atLeast: reach, seed: seed)
        guard !drawn.queries.isEmpty else {
            throw ConfigurationError(
                file: recorded.list.path,
                message: "no positive is \(formatNumber(reach)) s long, which the axes of \(file.path) need")
        }
        let base = try Plan(drawn, half: half, seed: seed)
        self.init(
            file: file, base: base, digest: Digest.sha256("\(base.digest)\n\(content)"), reachSeconds: reach)
    }

    private init(file: FrontierFile, base: Plan, digest: String, reachSeconds: Double) {
        self.file = file
        self.base = base
        self.digest = digest
        self.reachSeconds = reachSeconds
        mostRungs = file.axes.map(\.ladder.rungs.count).max() ?? 0
    }

    /// The source seconds that the longest query needs, and a digest of all chains.
    private static func reach(
        of file: FrontierFile, _ recipe: QueryRecipe
    ) throws -> (seconds: Double, content: String) {
        var content = [file.digest]
        var reach = 0.0
        for axis in file.axes {
            for member in axis.members {
                var generator = SeededGenerator(seed: 0)
                let chain: DegradationChain
                do {
                    chain = DegradationChain(steps: try member.chain.map { try $0.draw(using: &generator) })
                    try chain.validate()
                    content += try recipe.content(of: chain)
                } catch {
                    throw ConfigurationError(file: file.path, line: axis.line, message: "\(error)")
                }
                reach = max(reach, chain.sourceSeconds(forSeconds: member.cell.lengthSeconds))
            }
        }
        return (reach, Digest.sha256(content.joined(separator: "\n")))
    }

    package var queryCount: Int { base.trials.count }

    package func queryName(_ query: Int) -> String {
        let digits = String(query)
        return "q" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    func trialID(query: Int, axis: Int, rung: Int) -> String {
        "\(file.axes[axis].members[rung].cell.slug)/\(queryName(query))"
    }

    func trial(query: Int, axis: Int, rung: Int) throws -> Trial {
        let (axisIndex, axis) = (axis, file.axes[axis])
        let member = axis.members[rung]
        var generator = SeededGenerator(seed: base.seed, axis.slug, queryName(query), "chain")
        let steps = try member.chain.map { try $0.draw(using: &generator) }
        var trial = Trial(
            id: trialID(query: query, axis: axisIndex, rung: rung),
            index: (query * file.axes.count + axisIndex) * mostRungs + rung, cell: member.cell,
            isPositive: true, source: base.trials[query].source, chain: DegradationChain(steps: steps),
            startSeed: base.trials[query].startSeed)
        // A chain gets the whole file, because steps that change time need more than the query's length.
        trial.recorded = base.trials[query].recorded.map {
            steps.isEmpty ? $0.first(seconds: member.cell.lengthSeconds) : $0
        }
        return trial
    }

    package func trial(named id: String) throws -> Trial? {
        for axis in file.axes.indices {
            for rung in file.axes[axis].members.indices
            where id.hasPrefix(file.axes[axis].members[rung].cell.slug + "/") {
                for query in 0..<queryCount where trialID(query: query, axis: axis, rung: rung) == id {
                    return try trial(query: query, axis: axis, rung: rung)
                }
            }
        }
        return nil
    }

    package func start(of trial: Trial, in recording: AudioBuffer) throws -> Int {
        try startFrame(of: trial.index / mostRungs / file.axes.count, in: recording)
    }

    func search(query: Int, axis: Int) -> FrontierSearch {
        var generator = SeededGenerator(
            seed: base.seed, file.axes[axis].slug, queryName(query), "scan")
        return FrontierSearch(
            rungs: file.axes[axis].ladder.rungs.count, coarse: file.coarse, seed: generator.next())
    }

    /// The frame at which a query begins on all axes; its shortest and longest cuts there are winnable.
    ///
    /// - Throws: `DegradationError` when no draw is loud enough.
    func startFrame(of query: Int, in recording: AudioBuffer) throws -> Int {
        let rate = Double(recording.sampleRate)
        let margin = Int(bounded: (DegradationChain.marginSeconds * rate).rounded(.up))
        let reach = Int(bounded: (reachSeconds * rate).rounded(.up))
        let lengths = file.axes.flatMap { $0.members.map(\.cell.lengthSeconds) }
        let ends = [lengths.min(), lengths.max()].compactMap {
            $0.map { Int(bounded: ($0 * rate).rounded()) }
        }
        let starts = recording.frameCount - margin - reach + 1
        let attempts = 400
        if starts >= 1 {
            var generator = SeededGenerator(seed: base.trials[query].startSeed)
            for _ in 0..<attempts {
                let start = margin + generator.index(below: starts)
                let cuts = ends.map { start..<(start + $0) }
                if !cuts.contains(where: {
                    recording.isTooQuiet(frames: $0) || recording.isTooQuietInMono(frames: $0)
                }) {
                    return start
                }
            }
        }
        throw DegradationError(
            .unsuitableAudio,
            "no start in \(attempts) draws is loud enough to be winnable "
                + "(\(base.trials[query].source ?? queryName(query)))")
    }
}

extension RunRequest {
    package func openFrontier(in library: CorpusLibrary) throws -> (
        plan: FrontierPlan, material: CorpusMaterial
    ) {
        var file = try FrontierFile(path: library.planPath(plan))
        try file.override(corpus: corpusName, queries: queries, axes: axes.isEmpty ? nil : axes)
        if let recorded {
            let material = try CorpusMaterial(library: library, music: nil)
            let plan = try FrontierPlan(
                file: file, recorded: recorded.open(in: library), material: material, half: half, seed: seed)
            return (plan, material)
        }
        let opened = try openCorpus(in: library, of: file.head)
        let plan = try FrontierPlan(
            file: file, corpus: opened.corpus, material: opened.material, half: half, seed: seed)
        return (plan, opened.material)
    }
}
