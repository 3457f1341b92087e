internal import CPulse

/// A connection to a sound server, with libpulse's thread.
///
/// Sendable because all access to libpulse's objects holds the loop's lock. libpulse holds it during callbacks.
final class SoundServerConnection: @unchecked Sendable {
    let loop: OpaquePointer
    let context: OpaquePointer

    /// Makes an unconnected one.
    init(applicationName: String) throws(MicrophoneError) {
        guard let loop = pa_threaded_mainloop_new() else {
            throw MicrophoneError(.refused, "libpulse has no memory for a connection")
        }
        guard let context = pa_context_new(pa_threaded_mainloop_get_api(loop), applicationName) else {
            pa_threaded_mainloop_free(loop)
            throw MicrophoneError(.refused, "libpulse has no memory for a connection")
        }
        self.loop = loop
        self.context = context
    }

    deinit {
        stop()
        pa_context_unref(context)
        pa_threaded_mainloop_free(loop)
    }

    /// Waits for the server's answer; false if it refuses the connection.
    func connect(to server: String?) -> Bool {
        pa_context_set_state_callback(
            context, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop))
        guard pa_context_connect(context, server, PA_CONTEXT_NOFLAGS, nil) >= 0,
            pa_threaded_mainloop_start(loop) >= 0
        else { return false }
        return locked {
            while PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0 {
                if pa_context_get_state(context) == PA_CONTEXT_READY { return true }
                pa_threaded_mainloop_wait(loop)
            }
            return false
        }
    }

    /// The error of libpulse's last call.
    var status: Int32 { locked { pa_context_errno(context) } }

    /// libpulse's words for an error.
    static func sentence(_ status: Int32) -> String {
        pa_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    }

    /// Ends the thread, without the lock because the thread may wait for it; may be called twice.
    func stop() { pa_threaded_mainloop_stop(loop) }

    func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        return try body()
    }
}
