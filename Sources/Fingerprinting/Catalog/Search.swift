/// One query in one catalog: votes, then checks; a quick phase without skew, and a full one where it is needed.
struct Search {
    private let catalog: Catalog
    private let settings: Settings
    private let query: Query
    private let allPeaks: QueryPeaks
    private var verifier: Verifier
    private var spectrum: SpectralContrast?
    private var verdicts: [Verdict] = []

    init(catalog: Catalog, query: Query) {
        self.catalog = catalog
        self.query = query
        settings = catalog.settings
        allPeaks = QueryPeaks(query.peaks, ranks: settings.analysis.queryRank)
        verifier = Verifier(
            query: allPeaks, queryFrameCount: query.frameCount, settings: settings.verification)
    }

    /// The candidates that stood up to being checked; those with a full score only.
    mutating func run(_ table: inout VoteTable) -> [Verdict] {
        let lookup = settings.lookup
        let strong = QueryPeaks(query.peaks, ranks: lookup.quickRank)
        let quick = candidates(
            strong, octaves: lookup.quickOctaves, most: lookup.mostQuickCandidates, &table)
        check(quick.prefix(lookup.quickCandidates))
        addContrast()
        if let best = decisive {
            // Copies of the recording have about as many votes; the rest cannot beat a decisive score.
            let least = Int(Float(best.candidate.votes) * lookup.copyVoteShare)
            check(quick.dropFirst(lookup.quickCandidates).prefix { $0.votes >= least })
        } else {
            check(quick.dropFirst(lookup.quickCandidates))
            addContrast()
            if decisive == nil {
                check(
                    candidates(allPeaks, octaves: lookup.widestOctaves, most: lookup.candidates, &table)[...])
            }
        }
        addContrast()
        return verdicts.filter { $0.contrast != nil }
    }

    private var decisive: Verdict? {
        verdicts.filter { $0.contrast != nil && $0.score > settings.lookup.decisiveScore }.min(
            by: Verdict.precedes)
    }

    /// The places with most votes, in order; a long query votes part by part.
    private func candidates(
        _ peaks: QueryPeaks, octaves: Float, most: Int, _ table: inout VoteTable
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
            ballot.cast(peaks, anchors: first..<anchor, middle: middle, into: &table)
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
            let peaks = catalog.peaks(of: candidate.reference)
            let frames = frames(of: candidate.reference)
            if let verdict = verifier.check(candidate, peaks: peaks, frames: frames) { add(verdict) }
        }
    }

    private func frames(of reference: Int) -> Int {
        Int(catalog.entries[reference].durationSeconds / settings.analysis.frameSeconds)
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
        if verdict.baseScore > verdicts[same].baseScore { verdicts[same] = verdict }
    }

    /// Completes the score of the best verdicts.
    private mutating func addContrast() {
        verdicts.sort {
            $0.baseScore != $1.baseScore ? $0.baseScore > $1.baseScore : Verdict.precedes($0, $1)
        }
        for place in verdicts.indices.prefix(settings.verification.contrastCandidates)
        where verdicts[place].contrast == nil {
            let spectrum = self.spectrum ?? SpectralContrast(spectrogram: query.spectrogram)
            self.spectrum = spectrum
            let reference = verdicts[place].candidate.reference
            let peaks = catalog.peaks(of: reference)
            verdicts[place] = verifier.polish(verdicts[place], peaks: peaks, frames: frames(of: reference))
            verdicts[place].contrast = verifier.contrast(of: verdicts[place], in: spectrum, peaks: peaks)
        }
    }
}
