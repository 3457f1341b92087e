#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One query in one catalog: votes, then checks; a quick phase without skew, and a full one where it is needed.
struct Search {
    private let catalog: Catalog
    private var settings: Settings
    private let query: Query
    private let allPeaks: QueryPeaks
    private let widePeaks: QueryPeaks
    private var verifier: Verifier
    private var spectrum: (SpectralContrast, ProminentPeaks)?
    private var verdicts: [Verdict] = []
    private var window: [Peak] = []

    init(catalog: Catalog, query: Query) {
        self.catalog = catalog
        self.query = query
        settings = catalog.settings
        allPeaks = QueryPeaks(query.peaks, ranks: settings.analysis.queryRank)
        widePeaks = QueryPeaks(query.peaks, ranks: Query.keptRanks)
        verifier = Verifier(
            query: allPeaks, queryFrameCount: query.frameCount, settings: settings.verification)
    }

    /// The candidates that stood up to being checked; those with a full score only.
    ///
    /// Places that repeat each other, in one reference or in several, are verdicts of their own.
    mutating func run(_ table: inout VoteTable) -> [Verdict] {
        let lookup = settings.lookup
        checkUnskewed(&table)
        if decisive == nil {
            check(
                candidates(
                    allPeaks, octaves: lookup.widestOctaves, mostHits: lookup.mostHits,
                    most: lookup.candidates,
                    &table), first: lookup.firstCandidates)
        }
        return possible
    }

    /// Checks no more candidates than this in either phase.
    mutating func limit(candidates: Int) {
        settings.lookup.mostQuickCandidates = min(settings.lookup.mostQuickCandidates, candidates)
        settings.lookup.candidates = min(settings.lookup.candidates, candidates)
    }

    /// Makes room for more references than are usually named.
    ///
    /// Each is checked at a few places, as a passage that one repeats is as good a candidate as another reference.
    mutating func widen(references: Int) {
        settings.verification.contrastCandidates = max(
            settings.verification.contrastCandidates, references + 5)
        settings.lookup.mostQuickCandidates = max(settings.lookup.mostQuickCandidates, 5 * references)
        settings.lookup.candidates = max(settings.lookup.candidates, 5 * references)
    }

    /// The candidates without skew that stood up to being checked.
    mutating func runQuickly(_ table: inout VoteTable) -> [Verdict] {
        checkUnskewed(&table)
        return possible
    }

    /// Of given candidates those that stood up to being checked.
    mutating func confirm(_ expected: [Candidate]) -> [Verdict] {
        check(expected[...])
        scoreBest()
        return possible
    }

    private mutating func checkUnskewed(_ table: inout VoteTable) {
        let lookup = settings.lookup
        let strong = QueryPeaks(query.peaks, ranks: lookup.quickRank)
        check(
            candidates(
                strong, octaves: lookup.quickOctaves, mostHits: lookup.mostQuickHits,
                most: lookup.mostQuickCandidates, &table), first: lookup.quickCandidates)
    }

    private var possible: [Verdict] {
        let widest = settings.verification.largestTimeSkew
        // A fit may wander beyond the skews that are looked for: what lies there is another performance.
        return verdicts.filter {
            $0.score != nil
                && abs($0.fit.alignment.timeSkew) <= widest + 2 * $0.fit.timeSkewError
        }
    }

    /// Checks the `first` candidates, and the others as far as the result calls for it.
    private mutating func check(_ candidates: [Candidate], first: Int) {
        check(candidates.prefix(first))
        scoreBest()
        var others = candidates.dropFirst(first)
        if let best = decisive {
            // Copies of the recording have about as many votes; the rest cannot beat a decisive score.
            let least = Int(Float(best.candidate.votes) * settings.lookup.copyVoteShare)
            others = others.prefix { $0.votes >= least }
        }
        guard !others.isEmpty else { return }
        check(others)
        scoreBest()
    }

    /// How many hits of a part of a query are counted, by a limit for 5 s and 15 h.
    private func limit(_ hits: Int, frames: Int) -> Int {
        let axis = Double(catalog.timeline.cellCount * Timeline.cellFrames) * settings.analysis.frameSeconds
        let size = cbrt(max(1, axis / 3600 / 15))
        let length = max(1, Double(frames) * settings.analysis.frameSeconds / 5)
        return Int(Double(hits) * size * size * length)
    }

    private var decisive: Verdict? {
        verdicts.filter { ($0.score ?? -.infinity) > settings.lookup.decisiveScore }.min(
            by: Verdict.precedes)
    }

    /// The places with most votes, in order; a long query votes part by part.
    private func candidates(
        _ peaks: QueryPeaks, octaves: Float, mostHits: Int, most: Int, _ table: inout VoteTable
    ) -> [Candidate] {
        let ballot = Ballot(index: catalog.index, settings: settings, octaves: octaves)
        let frameCount = query.frameCount
        let longest = Int(min(settings.lookup.longestVoteSeconds, 16) / settings.analysis.frameSeconds)
        let parts = (frameCount + longest - 1) / longest
        var found: [Candidate] = []
        var anchor = 0
        for part in 0..<parts {
            let from = frameCount * part / parts
            let to = frameCount * (part + 1) / parts
            let first = anchor
            while anchor < peaks.count, Int(peaks.frames.base[anchor]) < to { anchor += 1 }
            guard first < anchor else { continue }
            let middle = (from + to) / 2
            let probes = ballot.probes(
                peaks, anchors: first..<anchor, middle: middle, mostHits: limit(mostHits, frames: to - from))
            table.add(probes, of: catalog.index.postings)
            found += table.takeBest(most, planes: ballot.planes).map { cell in
                let reference = catalog.timeline.reference(at: cell.frame)
                return Candidate(
                    reference: reference, referenceFrame: cell.frame - catalog.timeline.starts[reference],
                    queryFrame: middle, octaves: cell.octaves, votes: Int(cell.votes))
            }
        }
        guard parts > 1 else { return found }
        // The sort is not stable: places found in one order must stay so.
        let order = found.indices.sorted {
            found[$0].votes != found[$1].votes ? found[$0].votes > found[$1].votes : $0 < $1
        }
        return order.prefix(most).map { found[$0] }
    }

    private mutating func check(_ candidates: ArraySlice<Candidate>) {
        for candidate in candidates {
            unpack(verifier.span(around: candidate), around: candidate)
            let frames = catalog.frames(of: candidate.reference)
            let verdict = window.withUnsafeBufferPointer {
                verifier.check(
                    candidate, peaks: $0, frames: frames, least: settings.lookup.leastPairs)
            }
            if let verdict { add(verdict) }
        }
    }

    /// Fetches the reference's peaks in a span of frames around the candidate's reference frame.
    private mutating func unpack(_ span: ClosedRange<Float>, around candidate: Candidate) {
        let low = candidate.referenceFrame + Int(span.lowerBound.rounded(.down))
        let high = candidate.referenceFrame + Int(span.upperBound.rounded(.up))
        catalog.peakStore.peaks(of: candidate.reference, frames: low...high, into: &window)
    }

    /// Keeps a verdict, and of two that are the same place only the better.
    private mutating func add(_ verdict: Verdict) {
        let same = verdicts.firstIndex {
            $0.candidate.reference == verdict.candidate.reference
                && abs($0.referenceFrameOfQueryStart - verdict.referenceFrameOfQueryStart) < 2
                && abs($0.alignment.octaves - verdict.alignment.octaves) < 0.004
        }
        guard let same else {
            verdicts.append(verdict)
            return
        }
        if verdict.screeningScore > verdicts[same].screeningScore { verdicts[same] = verdict }
    }

    private mutating func lookAtSpectrum() -> (SpectralContrast, ProminentPeaks) {
        if let spectrum { return spectrum }
        let contrast =
            query.hasHeights
            ? SpectralContrast(
                peaks: query.peaks,
                rowCount: min(query.frameCount, settings.verification.contrastFrames))
            : SpectralContrast(spectrogram: query.spectrogram)
        let prominent = ProminentPeaks(allPeaks, ranks: settings.analysis.referenceRank, in: contrast)
        spectrum = (contrast, prominent)
        return (contrast, prominent)
    }

    /// Completes the score of the best verdicts, and of the best one of each of as many references: however often one
    /// repeats the query, it does not hide the others.
    private mutating func scoreBest() {
        verdicts.sort {
            $0.screeningScore != $1.screeningScore
                ? $0.screeningScore > $1.screeningScore : Verdict.precedes($0, $1)
        }
        let most = settings.verification.contrastCandidates
        var references: Set<Int> = []
        for place in verdicts.indices {
            let isNew =
                references.count < most && references.insert(verdicts[place].candidate.reference).inserted
            guard place < most || isNew, verdicts[place].score == nil else { continue }
            let (spectrum, prominent) = lookAtSpectrum()
            let candidate = verdicts[place].candidate
            let frames = catalog.frames(of: candidate.reference)
            unpack(verifier.span(on: verdicts[place]), around: candidate)
            verdicts[place] = window.withUnsafeBufferPointer {
                verifier.polish(verdicts[place], peaks: $0, frames: frames)
            }
            unpack(verifier.span(on: verdicts[place]), around: candidate)
            let findings = window.withUnsafeBufferPointer {
                verifier.findings(
                    of: verdicts[place], in: spectrum, wide: widePeaks, prominent: prominent, peaks: $0)
            }
            verdicts[place].findings = findings
            let features = Features(
                verdicts[place].evidence, verdicts[place].prior, findings,
                lengthSeconds: query.durationSeconds, settings: settings.verification)
            verdicts[place].score = features.logOdds(settings.weights) - catalog.sizeLogOdds
        }
    }
}
