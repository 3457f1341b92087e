import AudioCore
import Signatures

/// The forward discrete Fourier transform of complex signals of one length, a power of 2, in Swift alone.
///
/// Stockham's algorithm with radix 4 sorts as it goes: Cochran and others, "What is the fast Fourier transform?",
/// Proceedings of the IEEE 55(10), 1967. Rounding differs from FFTW's by about 10⁻⁷ of the strongest bin.
///
/// An instance owns a buffer. Use it on one thread at a time.
package final class StockhamTransform: ComplexTransform {
    private let input: SplitPlanes
    private let output: SplitPlanes
    private let scratch: SplitPlanes
    private let stages: [Stage]

    package init(size: Int, from input: ComplexPlanes, to output: ComplexPlanes) {
        precondition(size >= 16 && size & (size - 1) == 0, "no transform of \(size) values")
        self.input = SplitPlanes(input)
        self.output = SplitPlanes(output)
        scratch = SplitPlanes(count: size)
        var stages: [Stage] = []
        var length = size
        while length > 1 {
            let stage = Stage(length: length, stride: size / length)
            stages.append(stage)
            length /= stage.radix
        }
        self.stages = stages
    }

    deinit { scratch.free() }

    package func execute() {
        var source = input
        for place in stages.indices {
            // The last stage writes to the output.
            let target = (stages.count - place) % 2 == 1 ? output : scratch
            stages[place].apply(from: source, to: target)
            source = target
        }
    }
}

/// A stage takes `length` values apart by 4 or by 2, `stride` times side by side.
private struct Stage {
    let radix: Int
    private let length: Int
    private let stride: Int
    /// cos and −sin of 2πkp/length for each p, one k from 1 up after the other.
    private let cosines: [Float]
    private let sines: [Float]

    init(length: Int, stride: Int) {
        let radix = length.isMultiple(of: 4) ? 4 : 2
        let angles = (1..<radix).flatMap { k in
            (0..<length / radix).map { -2 * Double.pi * Double(k * $0 % length) / Double(length) }
        }
        self.length = length
        self.stride = stride
        self.radix = radix
        cosines = angles.map { Float(cos($0)) }
        sines = angles.map { Float(sin($0)) }
    }

    func apply(from source: SplitPlanes, to target: SplitPlanes) {
        if radix == 2 { return halve(from: source, to: target) }
        cosines.withUnsafeBufferPointer { cosines in
            sines.withUnsafeBufferPointer { sines in
                guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
                if stride >= 8 {
                    quarter(SIMD8<Float>.self, cosines, sines, from: source, to: target)
                } else if stride == 4 {
                    quarter(SIMD4<Float>.self, cosines, sines, from: source, to: target)
                } else {
                    begin(cosines, sines, from: source, to: target)
                }
            }
        }
    }

    /// Radix 4 on neighbours that share their factors, as many at once as `V` has lanes.
    @inline(__always)
    private func quarter<V: SIMD>(
        _: V.Type, _ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>, from source: SplitPlanes,
        to target: SplitPlanes
    ) where V.Scalar == Float {
        let count = length / 4
        let apart = stride * count
        for p in 0..<count {
            let one = (V(repeating: cosines[p]), V(repeating: sines[p]))
            let two = (V(repeating: cosines[count + p]), V(repeating: sines[count + p]))
            let three = (V(repeating: cosines[2 * count + p]), V(repeating: sines[2 * count + p]))
            var place = stride * p
            var result = 4 * stride * p
            let end = place + stride
            while place < end {
                let a: (V, V) = source.load(place)
                let b: (V, V) = source.load(place + apart)
                let c: (V, V) = source.load(place + 2 * apart)
                let d: (V, V) = source.load(place + 3 * apart)
                let sums = Self.butterfly(a, b, c, d)
                target.store(sums.0, result)
                target.store(Self.product(sums.1, one), result + stride)
                target.store(Self.product(sums.2, two), result + 2 * stride)
                target.store(Self.product(sums.3, three), result + 3 * stride)
                place += V.scalarCount
                result += V.scalarCount
            }
        }
    }

    /// The first stage, radix 4 on four neighbours with factors of their own.
    private func begin(
        _ cosines: UnsafePointer<Float>, _ sines: UnsafePointer<Float>, from source: SplitPlanes,
        to target: SplitPlanes
    ) {
        typealias V = SIMD4<Float>
        let count = length / 4
        func factors(_ place: Int) -> (V, V) {
            (
                UnsafeRawPointer(cosines + place).loadUnaligned(as: V.self),
                UnsafeRawPointer(sines + place).loadUnaligned(as: V.self)
            )
        }
        for p in Swift.stride(from: 0, to: count, by: 4) {
            let a: (V, V) = source.load(p)
            let b: (V, V) = source.load(p + count)
            let c: (V, V) = source.load(p + 2 * count)
            let d: (V, V) = source.load(p + 3 * count)
            let sums = Self.butterfly(a, b, c, d)
            let one = Self.product(sums.1, factors(p))
            let two = Self.product(sums.2, factors(count + p))
            let three = Self.product(sums.3, factors(2 * count + p))
            for lane in 0..<4 {
                target.store(
                    (
                        V(sums.0.0[lane], one.0[lane], two.0[lane], three.0[lane]),
                        V(sums.0.1[lane], one.1[lane], two.1[lane], three.1[lane])
                    ), 4 * (p + lane))
            }
        }
    }

    /// Radix 2; only ever the last stage, so all factors are 1.
    private func halve(from source: SplitPlanes, to target: SplitPlanes) {
        typealias V = SIMD8<Float>
        for place in Swift.stride(from: 0, to: stride, by: 8) {
            let a: (V, V) = source.load(place)
            let b: (V, V) = source.load(place + stride)
            target.store((a.0 + b.0, a.1 + b.1), place)
            target.store((a.0 - b.0, a.1 - b.1), place + stride)
        }
    }

    /// The transform of four values.
    @inline(__always)
    private static func butterfly<V: SIMD>(
        _ a: (V, V), _ b: (V, V), _ c: (V, V), _ d: (V, V)
    ) -> ((V, V), (V, V), (V, V), (V, V)) where V.Scalar == Float {
        let sumAC = (a.0 + c.0, a.1 + c.1)
        let differenceAC = (a.0 - c.0, a.1 - c.1)
        let sumBD = (b.0 + d.0, b.1 + d.1)
        let differenceBD = (b.0 - d.0, b.1 - d.1)
        return (
            (sumAC.0 + sumBD.0, sumAC.1 + sumBD.1),
            (differenceAC.0 + differenceBD.1, differenceAC.1 - differenceBD.0),
            (sumAC.0 - sumBD.0, sumAC.1 - sumBD.1),
            (differenceAC.0 - differenceBD.1, differenceAC.1 + differenceBD.0)
        )
    }

    @inline(__always)
    private static func product<V: SIMD>(_ a: (V, V), _ b: (V, V)) -> (V, V) where V.Scalar == Float {
        (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }
}

/// Vectors of the real and imaginary parts of a complex signal.
private struct SplitPlanes {
    let real: UnsafeMutablePointer<Float>
    let imaginary: UnsafeMutablePointer<Float>

    init(_ planes: ComplexPlanes) { (real, imaginary) = planes }

    init(count: Int) {
        real = .allocate(capacity: count)
        imaginary = .allocate(capacity: count)
        real.initialize(repeating: 0, count: count)
        imaginary.initialize(repeating: 0, count: count)
    }

    func free() {
        real.deallocate()
        imaginary.deallocate()
    }

    @inline(__always)
    fileprivate func load<V: SIMD>(_ place: Int) -> (V, V) where V.Scalar == Float {
        (
            UnsafeRawPointer(real + place).loadUnaligned(as: V.self),
            UnsafeRawPointer(imaginary + place).loadUnaligned(as: V.self)
        )
    }

    @inline(__always)
    fileprivate func store<V: SIMD>(_ value: (V, V), _ place: Int) where V.Scalar == Float {
        UnsafeMutableRawPointer(real + place).storeBytes(of: value.0, as: V.self)
        UnsafeMutableRawPointer(imaginary + place).storeBytes(of: value.1, as: V.self)
    }
}
