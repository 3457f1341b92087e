import AudioIO
internal import CPulse

/// A stream from or to a sound server, with libpulse's thread and the samples that wait.
///
/// Sendable because all access to libpulse's objects and the samples holds the loop's lock. libpulse holds it during
/// callbacks.
final class SoundServerStream: @unchecked Sendable {
    let loop: OpaquePointer
    private let context: OpaquePointer
    private var format: pa_sample_spec
    private var stream: OpaquePointer?
    private(set) var isClosed = false
    /// Interleaved samples, the oldest first.
    private(set) var samples: ArraySlice<Float> = []
    private let mostSamples: Int

    /// Makes an unconnected one that keeps the latest `mostSamples` samples.
    init(
        applicationName: String, sampleRate: Int, channelCount: Int, mostSamples: Int = .max
    ) throws(MicrophoneError) {
        guard let loop = pa_threaded_mainloop_new() else {
            throw MicrophoneError(.refused, "libpulse has no memory for a connection")
        }
        guard let context = pa_context_new(pa_threaded_mainloop_get_api(loop), applicationName) else {
            pa_threaded_mainloop_free(loop)
            throw MicrophoneError(.refused, "libpulse has no memory for a connection")
        }
        self.loop = loop
        self.context = context
        self.mostSamples = mostSamples
        format = pa_sample_spec(
            format: 1.littleEndian == 1 ? PA_SAMPLE_FLOAT32LE : PA_SAMPLE_FLOAT32BE,
            rate: UInt32(sampleRate), channels: UInt8(channelCount))
    }

    deinit {
        close()
        // Without the lock, because the thread may wait for it.
        pa_threaded_mainloop_stop(loop)
        if let stream { pa_stream_unref(stream) }
        pa_context_unref(context)
        pa_threaded_mainloop_free(loop)
    }

    /// Wakes those who wait for a change.
    static let signal: pa_stream_notify_cb_t = { _, loop in
        pa_threaded_mainloop_signal(OpaquePointer(loop), 0)
    }

    /// Connects and waits for the server's answer; false if it refuses.
    ///
    /// - Parameter connect: Sets the callbacks of the stream and connects it. The other argument is their context.
    func open(
        _ name: String, server: String?, connect: (OpaquePointer, UnsafeMutableRawPointer) -> Int32
    ) -> Bool {
        pa_context_set_state_callback(context, Self.signal, UnsafeMutableRawPointer(loop))
        guard pa_context_connect(context, server, PA_CONTEXT_NOFLAGS, nil) >= 0,
            pa_threaded_mainloop_start(loop) >= 0
        else { return false }
        return locked {
            while pa_context_get_state(context) != PA_CONTEXT_READY {
                guard PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0 else { return false }
                pa_threaded_mainloop_wait(loop)
            }
            guard let stream = pa_stream_new(context, name, &format, nil) else { return false }
            self.stream = stream
            pa_stream_set_state_callback(stream, Self.signal, UnsafeMutableRawPointer(loop))
            guard connect(stream, Unmanaged.passUnretained(self).toOpaque()) >= 0 else { return false }
            while let stream = living {
                if pa_stream_get_state(stream) == PA_STREAM_READY { return true }
                pa_threaded_mainloop_wait(loop)
            }
            return false
        }
    }

    /// The open stream; nil if it or its server has gone.
    var living: OpaquePointer? {
        guard let stream, !isClosed, PA_STREAM_IS_GOOD(pa_stream_get_state(stream)) != 0 else { return nil }
        return stream
    }

    /// Adds samples, or drops the oldest of too many.
    func append(_ more: some Collection<Float>) {
        samples += more
        samples = samples.suffix(mostSamples)
    }

    /// Removes and returns the oldest samples, at most `count`.
    func take(_ count: Int) -> ArraySlice<Float> {
        defer { samples = samples.dropFirst(count) }
        return samples.prefix(count)
    }

    /// Disconnects, which releases the device, and wakes those who wait; may be called twice.
    func close() {
        locked {
            isClosed = true
            pa_context_disconnect(context)
            pa_threaded_mainloop_signal(loop, 0)
        }
    }

    /// The error of libpulse's last call.
    var status: Int32 { locked { pa_context_errno(context) } }

    /// libpulse's words for an error.
    static func sentence(_ status: Int32) -> String {
        pa_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    }

    /// May be called by a thread that holds the lock.
    func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        return try body()
    }
}
