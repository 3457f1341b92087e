import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport

extension Tune {
    /// The first channel of a clip according to its time map.
    func rendered(through clip: Clip) -> [Float] {
        rendered(frameCount: clip.audio.frameCount, sampleRate: clip.audio.sampleRate) { clip.timeMap($0) }
    }
}

/// The power of `a` − `b` over that of `b`, in decibels, within `range`.
func residualDecibels(_ a: [Float], _ b: [Float], in range: Range<Int>) -> Double {
    var error = 0.0
    var power = 0.0
    for frame in range {
        error += pow(Double(a[frame]) - Double(b[frame]), 2)
        power += pow(Double(b[frame]), 2)
    }
    return 10 * log10(error / power)
}

/// The frequency in hertz of the strongest sine, from a Hann-windowed spectrum of 65536 samples.
///
/// A parabola through the logarithms of the three highest bins has an error below 0.02 bins.
func strongestFrequency(of samples: [Float], sampleRate: Int) -> Double {
    let size = 65_536
    let window = Window.hann(size)
    let block = (0..<size).map { $0 < samples.count ? samples[$0] * window[$0] : 0 }
    let fft = RealFFT(size: size)
    var power = [Float](repeating: 0, count: fft.binCount)
    fft.power(block, into: &power)
    let top = (1..<fft.binCount - 1).max { power[$0] < power[$1] } ?? 1
    let (a, b, c) = (log(Double(power[top - 1])), log(Double(power[top])), log(Double(power[top + 1])))
    let bin = Double(top) + 0.5 * (a - c) / (a - 2 * b + c)
    return bin * Double(sampleRate) / Double(size)
}

/// The amplitude of the sine of `frequency` hertz in `samples`, which should be whole periods.
func amplitude(of frequency: Double, in samples: ArraySlice<Float>, sampleRate: Int) -> Double {
    var cosine = 0.0
    var sine = 0.0
    for (index, sample) in samples.enumerated() {
        let angle = 2 * Double.pi * frequency * Double(index) / Double(sampleRate)
        cosine += Double(sample) * cos(angle)
        sine += Double(sample) * sin(angle)
    }
    return 2 * (cosine * cosine + sine * sine).squareRoot() / Double(samples.count)
}

/// The slope of a map at a time.
func slope(_ map: (Double) -> Double, at seconds: Double) -> Double {
    (map(seconds + 0.01) - map(seconds - 0.01)) / 0.02
}
