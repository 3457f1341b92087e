import AudioCore
internal import CPulse
import Synchronization

/// A recording from a sound server.
///
/// The callback copies and returns each fragment at once, because libpulse waits forever for lent fragments when the
/// server dies. Sendable because all access to libpulse's objects and the backlog holds the loop's lock. libpulse holds it
/// during callbacks.
final class MicrophoneStream: @unchecked Sendable {
    private final class Inbox {
        let loop: OpaquePointer
        var backlog: SampleBacklog

        init(loop: OpaquePointer, backlog: SampleBacklog) {
            self.loop = loop
            self.backlog = backlog
        }
    }

    private let connection: SoundServerConnection
    private var loop: OpaquePointer { connection.loop }
    private var stream: OpaquePointer?
    private let inbox: Inbox
    private let sampleRate: Int
    private var isClosed = false
    private let readerLock = Mutex(())

    init(
        sampleRate: Int, channelCount: Int, device: String?, applicationName: String, server: String?
    ) throws(MicrophoneError) {
        connection = try SoundServerConnection(applicationName: applicationName)
        self.sampleRate = sampleRate
        let mostFrames = Int(bounded: Double(sampleRate) * Microphone.backlogSeconds)
        inbox = Inbox(
            loop: connection.loop,
            backlog: SampleBacklog(channelCount: channelCount, mostFrames: mostFrames))
        // From here on a failure runs deinit, which frees what there is.
        let place = server.map { "the sound server at \($0)" } ?? "the sound server"
        guard connection.connect(to: server), record(device, sampleRate, channelCount) else {
            throw MicrophoneError(refusal: connection.status, of: place, device: device)
        }
    }

    deinit {
        close()
        connection.stop()
        if let stream { pa_stream_unref(stream) }
    }

    /// Waits for the server's answer; false if it does not record.
    private func record(_ device: String?, _ sampleRate: Int, _ channelCount: Int) -> Bool {
        var format = pa_sample_spec(
            format: 1.littleEndian == 1 ? PA_SAMPLE_FLOAT32LE : PA_SAMPLE_FLOAT32BE,
            rate: UInt32(sampleRate), channels: UInt8(channelCount))
        let fragment =
            max(1, Int(bounded: Double(sampleRate) * Microphone.fragmentSeconds)) * channelCount * 4
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragment))
        let flags = pa_stream_flags_t(
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
                | PA_STREAM_AUTO_TIMING_UPDATE.rawValue)
        return locked {
            guard let stream = pa_stream_new(connection.context, "recording", &format, nil) else {
                return false
            }
            self.stream = stream
            let signal: pa_stream_notify_cb_t = { _, loop in
                pa_threaded_mainloop_signal(OpaquePointer(loop), 0)
            }
            pa_stream_set_state_callback(stream, signal, UnsafeMutableRawPointer(loop))
            pa_stream_set_latency_update_callback(stream, signal, UnsafeMutableRawPointer(loop))
            pa_stream_set_read_callback(
                stream, Self.copyFragments, Unmanaged.passUnretained(inbox).toOpaque())
            guard pa_stream_connect_record(stream, device, &attributes, flags) >= 0 else { return false }
            while isAlive {
                if pa_stream_get_state(stream) == PA_STREAM_READY { return true }
                pa_threaded_mainloop_wait(loop)
            }
            return false
        }
    }

    private static let copyFragments: pa_stream_request_cb_t = { stream, _, context in
        guard let stream, let context else { return }
        let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
        var bytes: UnsafeRawPointer?
        var byteCount = 0
        while pa_stream_peek(stream, &bytes, &byteCount) >= 0, byteCount > 0 {
            // Where the server lost audio there are no bytes.
            inbox.backlog.append(bytes, byteCount: byteCount)
            pa_stream_drop(stream)
        }
        pa_threaded_mainloop_signal(inbox.loop, 0)
    }

    func read(count: Int) throws(MicrophoneError) -> [Float] {
        try readerLock.withLock { _ throws(MicrophoneError) in
            try locked { () throws(MicrophoneError) in
                var samples: [Float] = []
                samples.reserveCapacity(count)
                while true {
                    guard !isClosed else { throw MicrophoneError(.interrupted, "the microphone was closed") }
                    samples += inbox.backlog.take(count - samples.count)
                    if samples.count == count { return samples }
                    guard isAlive else {
                        throw MicrophoneError(interruption: pa_context_errno(connection.context))
                    }
                    pa_threaded_mainloop_wait(loop)
                }
            }
        }
    }

    func latencySeconds() -> Double {
        locked {
            var microseconds: pa_usec_t = 0
            var isNegative: Int32 = 0
            while let stream, isAlive {
                if pa_stream_get_latency(stream, &microseconds, &isNegative) >= 0 {
                    let server = isNegative != 0 ? 0 : Double(microseconds) / 1e6
                    return server + Double(inbox.backlog.frameCount) / Double(sampleRate)
                }
                // The server has not reported its latency yet.
                guard pa_context_errno(connection.context) == Int32(PA_ERR_NODATA.rawValue) else { return 0 }
                pa_threaded_mainloop_wait(loop)
            }
            return 0
        }
    }

    /// Disconnects, which releases the device, and wakes the waiting readers.
    func close() {
        locked {
            isClosed = true
            pa_context_disconnect(connection.context)
            pa_threaded_mainloop_signal(loop, 0)
        }
    }

    private var isAlive: Bool {
        guard let stream, !isClosed else { return false }
        return PA_STREAM_IS_GOOD(pa_stream_get_state(stream)) != 0
    }

    private func locked<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try connection.locked(body)
    }
}

extension MicrophoneError {
    fileprivate init(refusal status: Int32, of place: String, device: String?) {
        let reason = Self.sentence(status)
        switch UInt32(status) {
        case PA_ERR_CONNECTIONREFUSED.rawValue, PA_ERR_ACCESS.rawValue, PA_ERR_AUTHKEY.rawValue,
            PA_ERR_INVALIDSERVER.rawValue, PA_ERR_TIMEOUT.rawValue, PA_ERR_CONNECTIONTERMINATED.rawValue,
            PA_ERR_PROTOCOL.rawValue, PA_ERR_VERSION.rawValue:
            self.init(
                .noServer,
                "\(place) cannot be reached (\(reason)); expected PulseAudio, or PipeWire with pipewire-pulse, "
                    + "to run for this user")
        case PA_ERR_NOENTITY.rawValue:
            let source = device.map { "no source called \"\($0)\"" } ?? "no source to record from"
            self.init(
                .noSource,
                "\(place) has \(source) (\(reason)); `pactl list short sources` names those there are")
        default: self.init(.refused, "\(place) refuses to record: \(reason)")
        }
    }

    fileprivate init(interruption status: Int32) {
        self.init(.interrupted, "the recording broke off: \(Self.sentence(status))")
    }

    private static func sentence(_ status: Int32) -> String { SoundServerConnection.sentence(status) }
}
