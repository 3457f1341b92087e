/// The parameters of the engine, grouped by stage; the defaults are the measured design.
///
/// Inside the engine a frequency is in bins of the middle band (`Analysis.binHertz`, 3.90625 Hz) and a time in its frames
/// (`Analysis.frameSeconds`, 32 ms). Each band also has bins and frames of its own: settings that count them say so.
public struct Settings: Codable, Hashable, Sendable {
    /// The version of the engine; it changes whenever the same settings may give other answers.
    public static let engineVersion = "4.3"

    /// How audio becomes peaks; signatures made with different values cannot be compared.
    public var analysis = Analysis()
    /// How peaks become the keys of the index.
    public var index = Index()
    /// How a query is looked up.
    public var lookup = Lookup()
    /// How a candidate is checked and measured.
    public var verification = Verification()
    /// How much each kind of evidence counts.
    public var weights = Weights()
    /// Which candidates are accepted.
    public var decision = Decision()

    /// The recommended settings.
    public init() {}

    /// Which spectral peaks make up a signature.
    public struct Analysis: Codable, Hashable, Sendable {
        /// The rate at which the middle band is analysed, in hertz; twice that above 3,699 Hz, half that below 463 Hz,
        /// a quarter below 73 Hz.
        public let sampleRate = 8000
        /// The length of the transform in samples: 1,024, 512, 256 and 128 ms from the lowest band to the highest.
        public let windowSize = 2048
        /// The distance of neighbouring frames in samples: 128, 64, 32 and 16 ms.
        public let hopSize = 256
        /// The lowest frequency of a peak, in hertz.
        public var lowestHertz = 30.0
        /// The highest frequency of a peak, in hertz.
        public var highestHertz = 7400.0
        /// A peak is the largest value within this many bins of the band on either side.
        public let neighbourBins = 6
        /// A peak is the largest value within this many frames of the band on either side.
        public let neighbourFrames = 2
        /// Power below this counts as silence and has no peaks; a full-scale sine has 2^18.
        public var silencePower: Float = 2.5e-7
        /// The share of the surrounding mean level that is subtracted from a peak's level before ranking.
        public var envelopeWeight: Float = 0.6
        /// The envelope is a mean over this many frames of the band on either side: 4, 2, 1 and 0.5 s.
        public var envelopeFrames = 31
        /// Peaks compete for rank within this many frames of the band on either side: 1.28, 0.64, 0.32 and 0.16 s.
        public var rankFrames = 10
        /// Peaks compete for rank within this many octaves on either side.
        public var rankOctaves: Float = 0.5
        /// A reference keeps the peaks that fewer than this many neighbours outrank: about 24 a second at 3.
        public var referenceRank = 3
        /// A query keeps the peaks that fewer than this many neighbours outrank: about 75 a second at 10.
        public var queryRank = 10

        /// The distance of neighbouring bins of the middle band, in hertz.
        public var binHertz: Double { Double(sampleRate) / Double(windowSize) }
        /// The distance of neighbouring frames of the middle band, in seconds.
        public var frameSeconds: Double { Double(hopSize) / Double(sampleRate) }

        /// The highest frequency of a peak of audio of a rate: above the filter's edge it has only images.
        func highestHertz(ofAudioAt sampleRate: Int) -> Double {
            min(highestHertz, 0.46 * Double(sampleRate))
        }

        private enum CodingKeys: String, CodingKey {
            case lowestHertz, highestHertz, silencePower, envelopeWeight, envelopeFrames
            case rankFrames, rankOctaves, referenceRank, queryRank
        }
    }

    /// Which pairs of peaks are indexed, and how finely.
    public struct Index: Codable, Hashable, Sendable {
        /// The most frames of the band between the two peaks of a pair: 2.56, 1.28, 0.64 and 0.32 s.
        public let longestFrames = 20
        /// The most octaves between the two peaks of a pair.
        public var widestOctaves: Float = 0.9
        /// The most pairs that a reference peak starts, nearest first.
        public var referencePairs = 3
        /// The most pairs that a query peak starts, nearest first.
        public var queryPairs = 40
        /// The weight of distance in frequency against distance in time in "nearest".
        public var ratioWeight: Float = 0.6
        /// Steps of the anchor's frequency to the octave: coarse, so that skew changes few keys.
        public let anchorStepsPerOctave = 24
        /// The step of the frequency ratio in bins of the band at the anchor, as errors of frequency are constant in hertz.
        public var ratioStepBins: Float = 0.8
        /// The least step of the frequency ratio, in octaves.
        public var finestRatioOctaves: Float = 0.003
        /// The greatest step of the frequency ratio, in octaves.
        public var coarsestRatioOctaves: Float = 0.02

        private enum CodingKeys: String, CodingKey {
            case widestOctaves, referencePairs, queryPairs, ratioWeight
            case ratioStepBins, finestRatioOctaves, coarsestRatioOctaves
        }
    }

    /// How the engine finds candidates.
    public struct Lookup: Codable, Hashable, Sendable {
        /// The largest frequency skew of the first, quick phase, in octaves (0.5 %).
        public var quickOctaves: Float = 0.007
        /// The first phase uses query peaks that fewer than this many neighbours outrank.
        public var quickRank = 3
        /// The most hits that the first phase counts for 5 s in a catalog of 15 h; it drops the least informative.
        ///
        /// The limit grows in proportion to the length of the part of the query. In larger catalogs it grows by the
        /// power 2/3 of the size: there are more chance hits, and a hit is as informative as before.
        public var mostQuickHits = 40_000
        /// How many candidates the first phase checks before it considers the result.
        public var quickCandidates = 8
        /// The most candidates that the first phase checks in a catalog of 15 h; grows with the sixth root of the size.
        public var mostQuickCandidates = 100
        /// A score beyond this ends the search after the first phase.
        public var decisiveScore = 8.0
        /// The lead over other times is measured of candidates with at least this score without it.
        ///
        /// It adds at most 4.8, so others are not accepted.
        public var leastLeadScore = -3.0
        /// After a decisive score, candidates with at least this share of its votes are still checked: copies.
        public var copyVoteShare: Float = 0.4
        /// The largest frequency skew of the full search, in octaves (6 %); the vote table reaches to 0.097.
        public var widestOctaves: Float = 0.0905
        /// The most hits that the full search counts for 5 s in a catalog of 15 h; grows as `mostQuickHits` does.
        public var mostHits = 300_000
        /// How many candidates the full search checks before it considers the result.
        public var firstCandidates = 50
        /// The most candidates that the full search checks in a catalog of 15 h; grows with the sixth root of the size.
        public var candidates = 300
        /// How many places of the matched filter are checked; 0 leaves it out.
        public var filterCandidates = 5
        /// The matched filter uses reference peaks that fewer than this many neighbours outrank.
        public var filterRank = 2
        /// The matched filter looks through catalogs of at most this many hours: its time grows with their length.
        public var mostFilteredHours = 5.0
        /// The matched filter looks at this many seconds of a query, from its beginning.
        public var mostFilteredSeconds = 48.0
        /// How many references are screened: those whose fits have most support.
        ///
        /// Peaks of the others are not counted.
        public var screenedReferences = 20
        /// Candidates with a lower screening score are not scored before the search ends: no score of theirs is decisive.
        public var leastDecisiveScreening = 25.0
        /// A candidate needs at least this many agreeing pairs of peaks.
        public var leastPairs = 5
        /// How far a pair's time difference may be beyond its bin, in frames of the band.
        public var differenceSlackFrames: Float = 0.35
        /// A longer query votes in parts of at most this many seconds; at most 16.
        public var longestVoteSeconds = 16.0
        /// A query of more than three parts, 48 s, votes only with peaks that fewer than this many neighbours outrank.
        ///
        /// A part then has about as many pairs as 5 s have with `queryRank`.
        public var longQueryRank = 5
    }

    /// How a candidate is measured and scored.
    public struct Verification: Codable, Hashable, Sendable {
        /// The width of the first search around a candidate's time, in frames (0.42 s).
        public var searchFrames: Float = 13.1
        /// How much that width grows with the distance from the query's middle.
        public var searchGrowth: Float = 0.06
        /// The width of the first search around a candidate's frequency, in bins of the band.
        public var searchBins: Float = 1.2
        /// How much that width grows with frequency, in octaves (0.6 %).
        public var searchOctaves: Float = 0.0087
        /// The largest time skew tried.
        public var largestTimeSkew: Float = 0.062
        /// A matched peak is within this many frames of its band of its prediction.
        public var boxFrames: Float = 0.85
        /// A matched peak is within this many bins of its band of its prediction.
        public var boxBins: Float = 0.8
        /// Evidence is also counted in slots of this many frames (0.128 s).
        public var slotFrames = 4
        /// Prior probability that there is no skew.
        public var identityPrior = 0.60
        /// Prior probability that frequency and time are skewed alike.
        public var speedPrior = 0.22
        /// Prior probability that frequency alone is skewed.
        public var pitchPrior = 0.10
        /// Prior probability that time alone is skewed.
        public var tempoPrior = 0.07
        /// Prior probability of anything else.
        public var freePrior = 0.01
        /// The largest skew that the prior expects, either way.
        public var expectedSkew = 0.055
        /// The standard deviation of the prior's tails beyond that: a theme at another tempo is another performance.
        public var skewTail = 0.003
        /// The least standard error of a frequency skew in the odds of a match, as a fraction.
        public var frequencySkewFloor = 0.0004
        /// The least standard error of a time skew in the odds of a match, as a fraction.
        public var timeSkewFloor = 0.0005
        /// The least standard error of a skew in the choice of its kind, as a fraction.
        public var kindFloor = 0.0001
        /// How many frames of the query's spectrogram are kept for comparison: 2 minutes.
        public var contrastFrames = 3750
        /// How many of the best candidates are compared with the query's spectrogram.
        public var contrastCandidates = 12
    }

    /// The log-odds of a match as a sum of curves, which `scripts/fit-engine.py` fits to evidence.
    ///
    /// The numbers are in `Weights.swift`. They are fitted as a whole: do not change a single one.
    public struct Weights: Codable, Hashable, Sendable {
        /// The constant term of the log-odds.
        public var constant: Double
        /// For the log-odds of the skew found against any skew.
        public var skew: Curve
        /// For the height gained at the reference's peaks over other frequencies, summed over peaks (log2 power).
        public var frequencyGain: Curve
        /// For the share of the query's prominent peaks, by squared height, that the reference explains, 0…1.
        public var explainedShare: Curve
        /// For the mean height of the query's strong peaks that it does not explain (log2 power).
        public var unexplainedHeight: Curve
        /// For matched peaks times how concentrated they are about their prediction.
        public var concentration: Curve
        /// For the square root of the log-likelihood ratio of matched peaks against chance.
        public var peakEvidence: Curve
        /// For the logarithm of how far strong peaks are from the reference's, milliseconds times cents times the root of
        /// the distance in level.
        ///
        /// Another rendition of the same notes agrees only as far as notes do.
        public var misfit: Curve
        /// How much of that counts, for the number of such peaks.
        public var misfitShare: Curve
        /// For how far the height at the reference's peaks is above that at other times near them, in their standard
        /// deviations.
        ///
        /// Two pieces of one tempo agree as well a beat later.
        public var lead: Curve
        /// How much of that counts, for the base-2 logarithm of the seconds within the reference: in a short query few moments
        /// make a large lead.
        public var leadShare: Curve
        /// For the same logarithm: in a short query more fits by chance.
        public var length: Curve
        /// For the mean height at the reference's peaks (log2 power).
        public var meanHeight: Curve
        /// How much of that counts, for the mean height of the query's strong peaks that are not explained: noise makes flat
        /// peaks, and hides those of the reference.
        public var meanHeightShare: Curve
    }

    /// A polygon through zero at its first knot.
    public struct Curve: Codable, Hashable, Sendable {
        /// Where the slope changes, ascending.
        public var knots: [Double]
        /// The slope before the first knot, and after each.
        public var slopes: [Double]

        /// Makes a curve with a slope for each knot and one more.
        public init(knots: [Double], slopes: [Double]) {
            precondition(slopes.count == knots.count + 1, "\(slopes.count) slopes for \(knots.count) knots")
            self.knots = knots
            self.slopes = slopes
        }

        /// The height of the curve above `x`.
        public func callAsFunction(_ x: Double) -> Double {
            guard let first = knots.first else { return slopes[0] * x }
            var sum = slopes[0] * min(x - first, 0)
            for (place, knot) in knots.enumerated() where x > knot {
                let next = place + 1 < knots.count ? knots[place + 1] : .infinity
                sum += slopes[place + 1] * (min(x, next) - knot)
            }
            return sum
        }
    }

    /// When a candidate is accepted.
    public struct Decision: Codable, Hashable, Sendable {
        /// The least score of a match; the score is the log-odds of confidence.
        public var threshold = 3.0
        /// The size of the catalog that `Weights` were fitted in, in hours.
        public var calibrationHours = 3.656
        /// The share of false matches that are chance, in a catalog of `calibrationHours`: only these grow with the size.
        ///
        /// The others are of related pieces, such as those of one game. A larger catalog does not have more of them.
        public var chanceShare = 0.35
        /// One unit more of the score makes chance e to this power as rare.
        public var chanceSlope = 1.3
        /// An hour of a stream or a long recording may be wrong as often as this many queries.
        ///
        /// At the threshold 1 of 10,000 queries of unknown music is wrong, so this is 1 of 1,000 hours.
        public var hourlyQueries = 10.0
        /// Shorter queries have no matches, in seconds.
        public var shortestQuerySeconds = 0.3
        /// Another place of a reference is an alternative when its score is at most this much below the best.
        public var alternativeMargin = 3.0
        /// The most references in an answer.
        public var answers = 10
    }
}
