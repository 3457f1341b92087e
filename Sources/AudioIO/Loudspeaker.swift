import AudioCore
internal import CPulse

/// An open playback in one channel to a sink of PulseAudio or PipeWire.
///
/// The server converts to the sink's rate and channels. Silence plays while there is nothing else.
///
/// Sendable because all access to libpulse's objects and the queue holds the loop's lock.
package final class Loudspeaker: @unchecked Sendable {
    /// The samples that wait to be played.
    private final class Outbox {
        var samples: ArraySlice<Float> = []
    }

    /// What the server keeps in advance: more survives a busier machine, but delays the sound.
    private static let bufferSeconds = 0.4

    private let connection: SoundServerConnection
    private let outbox = Outbox()
    private var stream: OpaquePointer?

    /// Opens a sink and waits for the server's answer.
    ///
    /// `device` is the sink's name as `pactl list short sinks` prints it; nil is the server's default.
    /// `applicationName` and `server` are as for ``Microphone``.
    /// - Throws: ``LoudspeakerError`` without a server or sink.
    package init(
        sampleRate: Int, device: String? = nil, applicationName: String, server: String? = nil
    ) throws {
        connection = try SoundServerConnection(applicationName: applicationName)
        guard connection.connect(to: server), play(sampleRate, device) else {
            throw LoudspeakerError(refusal: connection.status, device: device)
        }
    }

    deinit {
        connection.locked { pa_context_disconnect(connection.context) }
        connection.stop()
        if let stream { pa_stream_unref(stream) }
    }

    /// Waits for the server's answer; false if it does not play.
    private func play(_ sampleRate: Int, _ device: String?) -> Bool {
        var format = pa_sample_spec(
            format: 1.littleEndian == 1 ? PA_SAMPLE_FLOAT32LE : PA_SAMPLE_FLOAT32BE,
            rate: UInt32(sampleRate), channels: 1)
        let buffer = Int(bounded: Double(sampleRate) * Self.bufferSeconds) * 4
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(buffer), prebuf: .max, minreq: .max, fragsize: .max)
        return connection.locked {
            guard let stream = pa_stream_new(connection.context, "playback", &format, nil) else {
                return false
            }
            self.stream = stream
            pa_stream_set_state_callback(
                stream, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
                UnsafeMutableRawPointer(connection.loop))
            pa_stream_set_write_callback(stream, Self.feed, Unmanaged.passUnretained(outbox).toOpaque())
            guard
                pa_stream_connect_playback(
                    stream, device, &attributes, PA_STREAM_ADJUST_LATENCY, nil, nil) >= 0
            else { return false }
            while isAlive {
                if pa_stream_get_state(stream) == PA_STREAM_READY { return true }
                pa_threaded_mainloop_wait(connection.loop)
            }
            return false
        }
    }

    private static let feed: pa_stream_request_cb_t = { stream, byteCount, context in
        guard let stream, let context else { return }
        let outbox = Unmanaged<Outbox>.fromOpaque(context).takeUnretainedValue()
        let count = byteCount / 4
        let next = outbox.samples.prefix(count)
        outbox.samples = outbox.samples.dropFirst(count)
        let filled = next + repeatElement(0, count: count - next.count)
        filled.withUnsafeBytes {
            _ = pa_stream_write(stream, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE)
        }
    }

    /// Plays after what was given before; returns at once.
    /// - Throws: ``LoudspeakerError`` if the server or the sink has gone.
    package func play(_ samples: [Float]) throws {
        try connection.locked {
            guard isAlive else {
                throw LoudspeakerError(
                    description: "the playback broke off: "
                        + SoundServerConnection.sentence(pa_context_errno(connection.context)))
            }
            outbox.samples += samples
        }
    }

    private var isAlive: Bool {
        guard let stream else { return false }
        return PA_STREAM_IS_GOOD(pa_stream_get_state(stream)) != 0
    }
}

package struct LoudspeakerError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what to do.
    package let description: String
}

extension LoudspeakerError {
    fileprivate init(refusal status: Int32, device: String?) {
        let reason = SoundServerConnection.sentence(status)
        if UInt32(status) == PA_ERR_NOENTITY.rawValue {
            let sink = device.map { "no sink called \"\($0)\"" } ?? "no sink to play to"
            self.init(
                description:
                    "the sound server has \(sink) (\(reason)); `pactl list short sinks` names those there are"
            )
        } else {
            self.init(description: "the sound server refuses to play: \(reason)")
        }
    }
}
