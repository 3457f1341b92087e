import Glibc

/// The kind of skew that best explains a fit.
public enum SkewKind: String, Codable, Hashable, Sendable {
    /// Neither frequency nor time is skewed.
    case identity
    /// Frequency and time are skewed alike: playback is faster or slower.
    case speed
    /// Frequency alone is skewed.
    case pitch
    /// Time alone is skewed.
    case tempo
    /// Both are skewed, each by its own amount.
    case free
}

/// A prior of how recordings are skewed, applied to a free fit of both skews.
///
/// Each kind is a Gaussian with the fit's own errors around its point or line. Along the line it is uniform up to the
/// largest expected skew, with Gaussian tails. A false candidate's skews are anywhere; a true one's are nearly always on
/// a line.
///
/// The log-odds use larger errors than the fit's, because rooms and codecs bend a fit more than its errors state. The
/// choice of the kind uses nearly the fit's own errors, so that it separates a speed of 0.1 % from none.
struct SkewPrior: Sendable {
    /// The log-density of the fit under the prior over that under "anything": −4.6 … about 8.6, and less beyond the
    /// skews that are expected.
    let logOdds: Double
    let kind: SkewKind
    /// The frequency skew in octaves, as the kind constrains it.
    let octaves: Double
    /// The time skew as log2 of reference time per query time, as the kind constrains it.
    let stretchOctaves: Double

    init(_ fit: LineFit, settings: Settings.Verification) {
        self.init(
            skewOctaves: fit.alignment.octaves, octavesError: fit.octavesError,
            timeSkew: fit.alignment.timeSkew, timeSkewError: fit.timeSkewError, settings: settings)
    }

    init(
        skewOctaves: Float, octavesError: Float, timeSkew: Float, timeSkewError: Float,
        settings: Settings.Verification
    ) {
        let x = Double(skewOctaves)
        let y = log2(1 + Double(timeSkew))
        let perOctave = 1 / NaturalLogarithmOf2.elevenDigits
        let width = 2 * log2(1 + settings.expectedSkew)

        func density(_ value: Double, _ sigma: Double) -> Double {
            exp(-0.5 * value * value / (sigma * sigma)) / (sigma * (2 * Double.pi).squareRoot())
        }
        func expected(_ value: Double, _ error: Double) -> Double {
            let tail = settings.skewTail * perOctave
            let beyond = max(0, abs(value) - width / 2)
            // The bound keeps the logarithm finite.
            return max(exp(-0.5 * beyond * beyond / (tail * tail + error * error)), 1e-9)
        }
        let weightX = 1 / pow(max(Double(octavesError), 1e-7), 2)
        let weightY = 1 / pow(max(Double(timeSkewError) * perOctave, 1e-7), 2)
        let joint = (x * weightX + y * weightY) / (weightX + weightY)
        func weights(frequencyFloor: Double, timeFloor: Double) -> [(kind: SkewKind, density: Double)] {
            let errorX = max(Double(octavesError), frequencyFloor * perOctave)
            let errorY = max(Double(timeSkewError), timeFloor) * perOctave
            let difference = (errorX * errorX + errorY * errorY).squareRoot()
            let (pitch, tempo) = (expected(x, errorX), expected(y, errorY))
            let speed = expected(joint, min(errorX, errorY))
            return [
                (.identity, settings.identityPrior * density(x, errorX) * density(y, errorY)),
                (.speed, settings.speedPrior * speed * density(y - x, difference) / width),
                (.pitch, settings.pitchPrior * pitch * density(y, errorY) / width),
                (.tempo, settings.tempoPrior * tempo * density(x, errorX) / width),
                (.free, settings.freePrior * pitch * tempo / (width * width)),
            ]
        }
        let coarse = weights(frequencyFloor: settings.frequencySkewFloor, timeFloor: settings.timeSkewFloor)
        logOdds = log(coarse.reduce(0) { $0 + $1.density } * width * width)
        let fine = weights(frequencyFloor: settings.kindFloor, timeFloor: settings.kindFloor)
        let best = fine.dropFirst().reduce(fine[0]) { $1.density > $0.density ? $1 : $0 }
        kind = best.kind
        switch best.kind {
        case .identity: (octaves, stretchOctaves) = (0, 0)
        case .pitch: (octaves, stretchOctaves) = (x, 0)
        case .tempo: (octaves, stretchOctaves) = (0, y)
        case .free: (octaves, stretchOctaves) = (x, y)
        case .speed: (octaves, stretchOctaves) = (joint, joint)
        }
    }
}
