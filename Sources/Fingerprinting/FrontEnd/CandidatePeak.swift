/// A local maximum of the spectrogram, before it is known how it ranks among its neighbours.
struct CandidatePeak: Sendable {
    /// The frame it lies in.
    var frame: Int32
    /// The bin it lies in.
    var bin: Int32
    /// The interpolated time, in 1/64 frame.
    var time: UInt32
    /// The interpolated frequency, in 1/64 bin.
    var frequency: UInt16
    /// Its level in log2 of power; later, its level above the envelope.
    var level: Float
    /// How far it rises above what surrounds it, as `Peak.height` is stored.
    var height: UInt8 = 0
}
