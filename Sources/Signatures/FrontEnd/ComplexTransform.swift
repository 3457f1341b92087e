/// The forward discrete Fourier transform of complex signals of one length, between buffers that it is made for.
///
/// Use an instance on one thread at a time.
package protocol ComplexTransform: AnyObject, SendableMetatype {
    /// Prepares transforms of the first `size` values of `input` to `output`.
    init(size: Int, from input: ComplexPlanes, to output: ComplexPlanes)

    /// Transforms what `input` holds, and does not change it.
    func execute()
}

/// The real and imaginary parts of a complex signal, in two blocks of memory.
package typealias ComplexPlanes = (real: UnsafeMutablePointer<Float>, imaginary: UnsafeMutablePointer<Float>)
