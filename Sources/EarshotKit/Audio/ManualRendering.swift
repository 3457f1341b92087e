/// When an engine renders by hand.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
    /// At any time, as fast as possible.
    case offline = 0
    /// As a device would ask; here the same as ``offline``.
    case realtime = 1
}

/// The outcome of rendering by hand.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
    /// An error occurred; here it is thrown instead.
    case error = -1
    /// The buffer has the frames.
    case success = 0
    /// The input node had too little; here it is silent instead.
    case insufficientDataFromInputNode = 1
    /// Another call renders at this moment.
    case cannotDoInCurrentContext = 2
}

/// How an engine renders without devices.
struct ManualRendering: Sendable {
    let mode: AVAudioEngineManualRenderingMode
    let format: AVAudioFormat
    let maximumFrameCount: AVAudioFrameCount
    var sampleTime: AVAudioFramePosition = 0
}

extension AVAudioEngine {
    /// Renders into buffers from now on instead of playing and recording; the engine must be stopped.
    ///
    /// The input node is then silent. Rendering begins with ``start()``.
    /// - Throws: `AVFAudioError`. Code `isRunning` if the engine runs. Code `unsupportedFormat` unless the format is one
    ///   of the pcm formats, or if `maximumFrameCount` is 0.
    public func enableManualRenderingMode(
        _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat,
        maximumFrameCount: AVAudioFrameCount
    ) throws {
        try requireStopped()
        guard AVAudioNode.isUsable(pcmFormat), maximumFrameCount > 0 else {
            throw AVFAudioError(
                .unsupportedFormat,
                message:
                    "cannot render \(maximumFrameCount) frames of \(pcmFormat) at once; expected linear PCM")
        }
        graph.manual = ManualRendering(mode: mode, format: pcmFormat, maximumFrameCount: maximumFrameCount)
        graph.reset()
    }

    /// Uses devices again; stops the engine.
    public func disableManualRenderingMode() {
        guard graph.manual != nil else { return }
        stop()
        graph.manual = nil
        graph.reset()
    }

    /// Whether the engine renders into buffers.
    public var isInManualRenderingMode: Bool { graph.manual != nil }
    /// When the engine renders into buffers; `offline` if it does not.
    public var manualRenderingMode: AVAudioEngineManualRenderingMode { graph.manual?.mode ?? .offline }
    /// The format of rendered buffers; that of the output node if the engine uses devices.
    public var manualRenderingFormat: AVAudioFormat { graph.format }
    /// The most frames of a call; 0 if the engine uses devices.
    public var manualRenderingMaximumFrameCount: AVAudioFrameCount { graph.manual?.maximumFrameCount ?? 0 }
    /// The number of frames rendered since the mode was enabled or the engine was reset.
    public var manualRenderingSampleTime: AVAudioFramePosition { graph.manual?.sampleTime ?? 0 }

    /// Renders the next frames into a buffer, as fast as possible.
    ///
    /// Taps get their buffers before the return, without host times.
    /// - Returns: `cannotDoInCurrentContext` if called while another call renders, otherwise `success`.
    /// - Throws: `AVFAudioError`. Code `invalidRenderingMode` if the engine uses devices. Code `notRunning` before ``start()``. Code `tooManyFrames` if the mode or the buffer allows fewer frames. Code
    ///   `unsupportedFormat` if the buffer's format is not ``manualRenderingFormat``.
    public func renderOffline(
        _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
    ) throws -> AVAudioEngineManualRenderingStatus {
        guard let manual = graph.manual else {
            throw AVFAudioError(
                .invalidRenderingMode,
                message: "the engine uses devices; call enableManualRenderingMode first")
        }
        guard isRunning else {
            throw AVFAudioError(.notRunning, message: "the engine is not running; call start() first")
        }
        let most = min(manual.maximumFrameCount, buffer.frameCapacity)
        guard numberOfFrames <= most else {
            throw AVFAudioError(
                .tooManyFrames,
                message: "\(numberOfFrames) frames at once; the mode and the buffer allow \(most)")
        }
        guard buffer.format == manual.format else {
            throw AVFAudioError(
                .unsupportedFormat, message: "the buffer is \(buffer.format); expected \(manual.format)")
        }
        guard manualLock.try() else { return .cannotDoInCurrentContext }
        defer { manualLock.unlock() }
        let frames = Int(numberOfFrames)
        graph.renderByHand(frames).withUnsafeBufferPointer { buffer.write($0, frames: frames, at: 0) }
        graph.manual?.sampleTime += AVAudioFramePosition(frames)
        return .success
    }
}
