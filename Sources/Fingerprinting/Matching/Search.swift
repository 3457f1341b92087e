import AudioCore
import Glibc

/// The search of one query in one catalog: votes, then checks of candidates.
///
/// A quick phase searches without skew; a full phase follows if that is not decisive.
struct Search {
    private let catalog: Catalog
    private var settings: Settings
    private let query: Query
    private var verifier: Verifier
    private var spectra: [SpectralContrast]?
    private var filters: [MatchedFilter]?
    /// The peaks of a reference about a candidate, kept for their memory.
    private var nearPeaks: [Peak] = []
    private var verified: [VerifiedCandidate] = []
    /// The largest support of a candidate of each reference so far, best first, of as many references as are screened.
    private var bestSupports: [(reference: Int, support: Double)] = []
    /// Whether another catalog that is searched beside this one has a decisive result.
    ///
    /// The quick phase is then enough, unless it dropped hits: many copies have too many.
    var isDecidedElsewhere = false
    private var hasDroppedHits = false

    init(catalog: Catalog, query: Query) {
        self.catalog = catalog
        self.query = query
        settings = catalog.settings
        verifier = Verifier(
            query.peaks, frameCount: query.frameCount, of: catalog.peakStore, settings: settings)
    }

    /// The verified candidates of a full search, those with a full score.
    ///
    /// Repeats, in one reference or in several, are separate candidates.
    mutating func run(_ table: inout VoteTable) -> [VerifiedCandidate] {
        start(&table)
        return finish(&table)
    }

    /// The same after `start`.
    mutating func finish(_ table: inout VoteTable) -> [VerifiedCandidate] {
        let lookup = settings.lookup
        let isUndecided = decisive == nil && (!isDecidedElsewhere || hasDroppedHits)
        if isUndecided {
            check(
                candidates(
                    ranks: settings.analysis.queryRank, octaves: lookup.widestOctaves,
                    mostHits: lookup.mostHits, mostIn15Hours: lookup.candidates, &table),
                first: lookup.firstCandidates)
        }
        scoreBest()
        if isUndecided, decisive == nil { filter() }
        return possible
    }

    mutating func limit(candidates: Int) {
        settings.lookup.mostQuickCandidates = min(settings.lookup.mostQuickCandidates, candidates)
        settings.lookup.candidates = min(settings.lookup.candidates, candidates)
        settings.lookup.filterCandidates = min(settings.lookup.filterCandidates, candidates)
    }

    /// Ends no search early, and measures all evidence of each place.
    mutating func decideNothing() {
        settings.lookup.decisiveScore = .infinity
        settings.lookup.leastLeadScore = -.infinity
    }

    /// Lowers the effort for one of many windows of a recording: what is faint in one is clearer in another.
    mutating func limitToWindow() {
        limit(candidates: Self.windowCandidates)
        settings.analysis.queryRank = settings.lookup.longQueryRank
        settings.lookup.filterCandidates = 0
        settings.lookup.firstCandidates = min(settings.lookup.firstCandidates, Self.windowCandidates)
        settings.verification.contrastCandidates = min(
            settings.verification.contrastCandidates, Self.scoredInWindow)
    }

    private static let windowCandidates = 12
    private static let scoredInWindow = 2

    /// Raises the limits for more references in the answer.
    ///
    /// Each reference may need checks at several places: repeats of a passage are candidates too.
    mutating func widen(references: Int) {
        settings.verification.contrastCandidates = max(
            settings.verification.contrastCandidates, references + 5)
        settings.lookup.screenedReferences = max(settings.lookup.screenedReferences, 5 * references)
        settings.lookup.mostQuickCandidates = max(settings.lookup.mostQuickCandidates, 5 * references)
        settings.lookup.candidates = max(settings.lookup.candidates, 5 * references)
    }

    mutating func runQuickly(_ table: inout VoteTable) -> [VerifiedCandidate] {
        start(&table)
        scoreBest()
        return possible
    }

    /// Whether a reference that is not in `removed` has a decisive score.
    func isDecisive(without removed: Set<Int>) -> Bool {
        verified.contains {
            ($0.score ?? -.infinity) > settings.lookup.decisiveScore
                && !removed.contains($0.candidate.reference)
        }
    }

    mutating func confirm(_ expected: [Candidate]) -> [VerifiedCandidate] {
        check(expected[...])
        scoreBest()
        return possible
    }

    /// Does the quick phase.
    mutating func start(_ table: inout VoteTable) {
        let lookup = settings.lookup
        check(
            candidates(
                ranks: lookup.quickRank, octaves: lookup.quickOctaves, mostHits: lookup.mostQuickHits,
                mostIn15Hours: lookup.mostQuickCandidates, &table), first: lookup.quickCandidates)
    }

    private var possible: [VerifiedCandidate] {
        let widest = settings.verification.largestTimeSkew
        // A fit may drift beyond the searched skews; a match there is another performance.
        return verified.filter {
            $0.score != nil && abs($0.alignment.timeSkew) <= widest + $0.fit.timeSkewError
        }
    }

    /// Checks the first candidates, and the others unless the result is decisive.
    private mutating func check(_ candidates: [Candidate], first: Int) {
        check(candidates.prefix(first))
        scoreBest(least: settings.lookup.leastDecisiveScreening)
        var others = candidates.dropFirst(first)
        if let best = decisive {
            // Copies of the recording have similar votes; others cannot beat a decisive score.
            let least = Int(bounded: Float(best.candidate.votes) * settings.lookup.copyVoteShare)
            others = others.prefix { $0.votes >= least }
        }
        guard !others.isEmpty else { return }
        check(others)
        scoreBest(least: settings.lookup.leastDecisiveScreening)
    }

    /// The limit of hits for a part of a query, from a limit for 5 s and 15 h.
    private func limit(_ hits: Int, frames: Int) -> Int {
        let length = max(1, Double(frames) * settings.analysis.frameSeconds / 5)
        return Int(bounded: Double(hits) * sizeRoot * sizeRoot * length)
    }

    /// The cube root of the catalog's size over 15 h, at least 1.
    private var sizeRoot: Double {
        let axis = Double(catalog.cellCount * Timeline.cellFrames) * settings.analysis.frameSeconds
        return cbrt(max(1, axis / 3600 / 15))
    }

    private var decisive: VerifiedCandidate? {
        verified.filter { ($0.score ?? -.infinity) > settings.lookup.decisiveScore }.min(
            by: VerifiedCandidate.precedes)
    }

    /// The first frames of a query in equal parts, each searched on its own.
    private func parts(of frames: Int) -> [Range<Int>] {
        let longest = Int(
            bounded: min(settings.lookup.longestVoteSeconds, 16) / settings.analysis.frameSeconds)
        let parts = (frames + longest - 1) / longest
        return (0..<parts).map { frames * $0 / parts..<frames * ($0 + 1) / parts }
    }

    /// The candidates with most votes, in order; a long query votes part by part.
    ///
    /// - Parameter mostIn15Hours: The most candidates in a catalog of 15 h.
    private mutating func candidates(
        ranks: Int, octaves: Float, mostHits: Int, mostIn15Hours: Int, _ table: inout VoteTable
    ) -> [Candidate] {
        let most = Int(bounded: Double(mostIn15Hours) * sizeRoot.squareRoot())
        let parts = parts(of: query.frameCount)
        let ranks = parts.count > 3 ? min(ranks, settings.lookup.longQueryRank) : ranks
        var found: [Candidate] = []
        for part in parts {
            let (from, to) = (part.lowerBound, part.upperBound)
            let middle = (from + to) / 2
            let peaks = QueryPieces.part(from..<to + PairLookup.framesAfter, of: query.peaks)
            let bands = Band.all.map { QueryPeaks(peaks, ranks: ranks, band: $0.place) }
            for shard in catalog.shards {
                let lookup = PairLookup(index: shard.index, settings: settings, octaves: octaves)
                let keys = lookup.keys(
                    bands, part: from..<to, middle: middle,
                    mostHits: limit(mostHits, frames: to - from) * shard.timeline.cellCount
                        / catalog.cellCount)
                if keys.isLimited { hasDroppedHits = true }
                guard !keys.runs.isEmpty else { continue }
                table.add(keys, of: shard.index.postings)
                found += table.takeBest(most, planes: lookup.planes).map { cell in
                    let reference = shard.reference(at: cell.frame)
                    return Candidate(
                        reference: reference, referenceFrame: cell.frame - shard.start(of: reference),
                        queryFrame: middle, octaves: cell.octaves, votes: Int(cell.votes))
                }
            }
            // Of a long query only the best so far stay in memory, in order of the parts.
            if found.count > 16 * most { found = Self.best(most, of: found).sorted().map { found[$0] } }
        }
        return parts.count * catalog.shards.count > 1 ? Self.best(most, of: found).map { found[$0] } : found
    }

    /// The places of the candidates with most votes, best first, and earlier ones first among equals.
    private static func best(_ most: Int, of found: [Candidate]) -> ArraySlice<Int> {
        // The sort is not stable, so the order of equal ones is explicit.
        found.indices.sorted {
            found[$0].votes != found[$1].votes ? found[$0].votes > found[$1].votes : $0 < $1
        }.prefix(most)
    }

    private mutating func check(_ candidates: ArraySlice<Candidate>) {
        for candidate in candidates {
            let fitted = verifier.fitted(candidate, least: settings.lookup.leastPairs)
            guard let fitted, isSupported(fitted) else { continue }
            add(verifier.screened(fitted, frames: catalog.frames(of: candidate.reference)))
        }
    }

    /// Whether few other references had a candidate with more support.
    ///
    /// So a reference that repeats the query many times does not hide the others.
    private mutating func isSupported(_ fitted: FittedCandidate) -> Bool {
        let reference = fitted.candidate.reference
        let place = bestSupports.firstIndex { $0.support < fitted.support } ?? bestSupports.count
        let hasBetter = bestSupports[..<place].contains { $0.reference == reference }
        guard place - (hasBetter ? 1 : 0) < settings.lookup.screenedReferences else { return false }
        if !hasBetter {
            bestSupports.removeAll { $0.reference == reference }
            bestSupports.insert((reference, fitted.support), at: place)
            if bestSupports.count > settings.lookup.screenedReferences { bestSupports.removeLast() }
        }
        return true
    }

    /// Keeps a candidate, and of two at the same place only the better one.
    private mutating func add(_ candidate: VerifiedCandidate) {
        guard let same = place(of: candidate) else {
            verified.append(candidate)
            return
        }
        if candidate.screeningScore > verified[same].screeningScore { verified[same] = candidate }
    }

    /// The index of the verified candidate at the same place.
    private func place(of candidate: VerifiedCandidate) -> Int? {
        verified.firstIndex {
            $0.candidate.reference == candidate.candidate.reference
                && abs($0.referenceFrameOfQueryStart - candidate.referenceFrameOfQueryStart) < 2
                && abs($0.alignment.octaves - candidate.alignment.octaves) < 0.004
        }
    }

    private mutating func preparedSpectra() -> [SpectralContrast] {
        if let spectra { return spectra }
        let contrasts = query.contrasts(most: settings.verification.contrastFrames)
        spectra = contrasts
        return contrasts
    }

    /// The matched filters of the parts of the query, of its first `mostFilteredSeconds`.
    private mutating func preparedFilters() -> [MatchedFilter] {
        if let filters { return filters }
        let most = Int(bounded: settings.lookup.mostFilteredSeconds / settings.analysis.frameSeconds)
        let heard = min(query.frameCount - 1, most, settings.verification.contrastFrames)
        let spectra = preparedSpectra()
        let made = parts(of: heard).map { MatchedFilter(spectra, part: $0) }
        filters = made
        return made
    }

    /// Scores the best places of the matched filter: their peaks alone do not tell how good they are.
    private mutating func filter() {
        let lookup = settings.lookup
        guard lookup.filterCandidates > 0, catalog.searchedHours <= lookup.mostFilteredHours else { return }
        var best = MatchedFilter.Best(most: lookup.filterCandidates)
        for filter in preparedFilters() {
            filter.find(in: catalog.peakStore, ranks: lookup.filterRank, &best)
        }
        for candidate in best.candidates {
            let frames = catalog.frames(of: candidate.reference)
            guard let fitted = verifier.fitted(candidate, least: lookup.leastPairs) else { continue }
            let checked = verifier.screened(fitted, frames: frames)
            if let same = place(of: checked) {
                if verified[same].score == nil { verified[same] = scored(verified[same]) }
            } else {
                verified.append(scored(checked))
            }
        }
    }

    /// Completes the scores of the best candidates, and of the best candidate of each of as many references.
    ///
    /// So a reference that repeats the query many times does not hide the others.
    ///
    /// - Parameter least: Leaves out candidates with a lower screening score.
    private mutating func scoreBest(least: Double = -.infinity) {
        verified.sort {
            $0.screeningScore != $1.screeningScore
                ? $0.screeningScore > $1.screeningScore : VerifiedCandidate.precedes($0, $1)
        }
        let most = settings.verification.contrastCandidates
        var references: Set<Int> = []
        for place in verified.indices {
            let isNew =
                references.count < most && references.insert(verified[place].candidate.reference).inserted
            guard place < most || isNew, verified[place].score == nil,
                verified[place].screeningScore >= least
            else { continue }
            verified[place] = scored(verified[place])
        }
    }

    /// A candidate with its full score.
    private mutating func scored(_ candidate: VerifiedCandidate) -> VerifiedCandidate {
        let spectra = preparedSpectra()
        let frames = catalog.frames(of: candidate.candidate.reference)
        var scored = verifier.refine(candidate, frames: frames)
        var evidence = verifier.fullEvidence(of: scored, in: spectra, frames: frames)
        scored.complete(evidence, sizeLogOdds: catalog.sizeLogOdds, settings: settings)
        guard scored.musicScore >= settings.lookup.leastLeadScore else { return scored }
        evidence.lead = lead(of: scored)
        scored.complete(evidence, sizeLogOdds: catalog.sizeLogOdds, settings: settings)
        return scored
    }

    /// How far the query's height at a candidate's peaks is above that at other times near it.
    private mutating func lead(of verified: VerifiedCandidate) -> Double? {
        let reference = verified.candidate.reference
        let length = Double(query.frameCount) * (1 + Double(verified.alignment.timeSkew))
        let start = verified.referenceFrameOfQueryStart
        let margin = Double(Sidelobes.reach * MatchedFilter.stepFrames)
        catalog.peakStore.peaks(
            of: reference, frames: Int(bounded: start - margin)...Int(bounded: start + length + margin),
            into: &nearPeaks)
        var lobes = Sidelobes()
        for filter in preparedFilters() {
            filter.add(nearPeaks, of: verified.candidate, verified.alignment, to: &lobes)
        }
        return lobes.lead
    }
}
