import Glibc

/// The line through the pairs by reweighted least squares, with its standard errors.
struct LineFit: Sendable {
    var alignment: Alignment
    var timeSkewError: Float
    var octavesError: Float
    /// The weighted mean of u, at which the line's time is most precise.
    var pivot: Float
    /// The standard error of the time at the pivot, in frames.
    var shiftError: Float
    /// The approximate number of pairs that support the line.
    var support: Float

    /// The largest residuals of a pair in one round, in frames and bins of its band.
    struct Width: Sendable {
        let frames: Float
        let bins: Float
    }
    /// From a rough start: 2.5 to 0.9 frames, 1.5 to 0.8 bins.
    static let narrowing = [
        Width(frames: 2.5, bins: 1.5), Width(frames: 2, bins: 1.3), Width(frames: 1.6, bins: 1.1),
        Width(frames: 1.2, bins: 0.95), Width(frames: 0.9, bins: 0.8),
    ]
    /// From a good start.
    static let refining = [
        Width(frames: 1.4, bins: 1), Width(frames: 1.4, bins: 1), Width(frames: 1, bins: 0.8),
        Width(frames: 1, bins: 0.8), Width(frames: 0.9, bins: 0.8), Width(frames: 0.9, bins: 0.8),
    ]

    /// Fits pairs relative to `origin`, from `start`; nil when too few pairs support a line.
    ///
    /// `forEachPairs` passes all pairs, part by part, in the same order every time.
    /// Weights fall with the square of the residuals over widths that shrink from round to round. Errors of peaks are
    /// constant in frames and bins of their band. So times are weighted by the square of a band's frame rate. The
    /// frequency skew is a mean weighted by the square of the frequency in bins.
    static func fit(
        origin: Alignment, start: Alignment, widths: [Width], largestTimeSkew: Float,
        forEachPairs: (_ body: ([PeakPair]) -> Void) -> Void
    ) -> LineFit? {
        // Residuals are against `origin`: delay and octaves of the pairs are relative to it.
        var shift = start.shift
        var skew = start.timeSkew
        var octaves = start.octaves
        var sums = Sums()
        for width in widths {
            sums = Sums()
            forEachPairs {
                sums.add($0, shift, skew, octaves, frames: 0.6 * width.frames, bins: 0.6 * width.bins)
            }
            guard sums.weight > 1.5 else { return nil }
            octaves += sums.octaveStep
            let spread = sums.uu - sums.u * sums.u / sums.rate
            let covariance = sums.ue - sums.u * sums.e / sums.rate
            let slopeStep = spread > 1 ? covariance / spread : 0
            let newSkew = min(max(skew + slopeStep, -largestTimeSkew), largestTimeSkew)
            shift += (sums.e - (newSkew - skew) * sums.u) / sums.rate
            skew = newSkew
        }
        sums = Sums()
        forEachPairs { sums.add($0, shift, skew, octaves, frames: 0.54, bins: 0.48) }
        guard sums.weight > 1.5 else { return nil }
        let sigmaTime = (sums.ee / sums.weight).squareRoot()
        let sigmaBins = (sums.ff / sums.weight).squareRoot()
        let spread = max(sums.uu - sums.u * sums.u / sums.rate, 1e-3)
        return LineFit(
            alignment: Alignment(
                shift: origin.shift + shift, timeSkew: origin.timeSkew + skew,
                octaves: origin.octaves + octaves),
            timeSkewError: 1.5 * max(sigmaTime, 0.005) / spread.squareRoot(),
            octavesError: 1.5 * max(sigmaBins, 0.003) / max(sums.bb, 1e-3).squareRoot()
                * NaturalLogarithmOf2.reciprocalSingle,
            pivot: sums.u / sums.rate,
            shiftError: 1.5 * max(sigmaTime, 0.005) / sums.rate.squareRoot(), support: sums.weight)
    }

    /// Weighted sums over the pairs; e is the residual in time, f in frequency, b the frequency in bins of the band.
    private struct Sums {
        var weight: Float = 0
        /// The sum of weights over squared frames: the weight of a pair in the line.
        var rate: Float = 0
        var u: Float = 0
        var uu: Float = 0
        var e: Float = 0
        var ue: Float = 0
        var ee: Float = 0
        var ff: Float = 0
        var bb: Float = 0
        private var bbOctaves: Float = 0

        /// The mean residual in octaves, weighted by the squared frequency.
        var octaveStep: Float { bb > 0 ? bbOctaves / bb : 0 }

        mutating func add(
            _ pairs: [PeakPair], _ shift: Float, _ skew: Float, _ octaves: Float, frames: Float, bins: Float
        ) {
            // A local value stays in registers.
            var sums = self
            let timeScale = 0.5 / (frames * frames)
            let binScale = 0.5 / (bins * bins)
            for pair in pairs {
                let late = pair.delay - shift - skew * pair.u
                let perFrame = 1 / pair.frame
                let lateFrames = late * perFrame
                // Most pairs are too late or too early, whatever their frequency.
                guard lateFrames * lateFrames * timeScale < 9 else { continue }
                let sharp = pair.octaves - octaves
                let off = sharp * pair.bins * NaturalLogarithmOf2.sixDigitsSingle
                let exponent = lateFrames * lateFrames * timeScale + off * off * binScale
                guard exponent < 9 else { continue }
                let w = expf(-exponent)
                let r = w * perFrame * perFrame
                sums.weight += w
                sums.rate += r
                sums.u += r * pair.u
                sums.uu += r * pair.u * pair.u
                sums.e += r * late
                sums.ue += r * pair.u * late
                sums.ee += w * lateFrames * lateFrames
                sums.ff += w * off * off
                sums.bb += w * pair.bins * pair.bins
                sums.bbOctaves += w * pair.bins * pair.bins * sharp
            }
            self = sums
        }
    }
}
