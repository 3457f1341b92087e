import SignalProcessing

// The front end names these without an import: the target EarshotSignatures compiles it with a transform of its own.
typealias FramePairFFT = SignalProcessing.FramePairFFT
typealias KaiserWindow = SignalProcessing.KaiserWindow
typealias Window = SignalProcessing.Window
