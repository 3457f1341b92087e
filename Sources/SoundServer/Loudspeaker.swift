import AudioCore
internal import CPulse

/// An open playback to a sink of PulseAudio or PipeWire.
///
/// The server converts to the sink's rate and channels. Silence plays while there is nothing else.
package final class Loudspeaker: Sendable {
    private let stream: SoundServerStream
    private let channelCount: Int

    /// Opens a sink and waits for the server's answer.
    ///
    /// `bufferSeconds` is what the server keeps in advance: more survives a busier machine, but delays the sound.
    /// `device` is the sink's name as `pactl list short sinks` prints it; nil is the server's default.
    /// `applicationName` and `server` are as for ``Microphone``.
    /// - Throws: ``LoudspeakerError`` without a server or sink.
    package init(
        sampleRate: Int, channelCount: Int = 1, bufferSeconds: Double = 0.4, device: String? = nil,
        applicationName: String, server: String? = nil
    ) throws {
        self.channelCount = channelCount
        stream = try SoundServerStream(
            applicationName: applicationName, sampleRate: sampleRate, channelCount: channelCount)
        let buffer = Int(bounded: Double(sampleRate) * bufferSeconds) * channelCount * 4
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(buffer), prebuf: .max, minreq: .max, fragsize: .max)
        let isOpen = stream.open("playback", server: server) { playback, context in
            pa_stream_set_write_callback(playback, Self.feed, context)
            return pa_stream_connect_playback(
                playback, device, &attributes, PA_STREAM_ADJUST_LATENCY, nil, nil)
        }
        guard isOpen else { throw LoudspeakerError(refusal: stream.status, device: device) }
    }

    private static let feed: pa_stream_request_cb_t = { playback, byteCount, context in
        guard let playback, let context else { return }
        let stream = Unmanaged<SoundServerStream>.fromOpaque(context).takeUnretainedValue()
        let next = stream.take(byteCount / 4)
        let filled = next + repeatElement(0, count: byteCount / 4 - next.count)
        filled.withUnsafeBytes {
            _ = pa_stream_write(playback, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE)
        }
        pa_threaded_mainloop_signal(stream.loop, 0)
    }

    /// Plays interleaved samples after what was given before.
    ///
    /// Waits until at most `frames` frames have not been given to the server; nil waits for nothing.
    /// - Throws: ``LoudspeakerError`` if the server or the sink has gone, or the loudspeaker was closed.
    package func play(_ samples: [Float], afterAllBut frames: Int? = nil) throws {
        try stream.locked {
            while let frames, stream.living != nil, stream.samples.count > frames * channelCount {
                pa_threaded_mainloop_wait(stream.loop)
            }
            guard stream.living != nil else {
                let reason = SoundServerStream.sentence(stream.status)
                throw LoudspeakerError(description: "the playback broke off: \(reason)")
            }
            stream.append(samples)
        }
    }

    /// The frames that have not been given to the server.
    package var waitingFrames: Int { stream.locked { stream.samples.count / channelCount } }

    /// Releases the device and forgets what waits; may be called twice.
    package func close() { stream.close() }
}

package struct LoudspeakerError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what to do.
    package let description: String
}

extension LoudspeakerError {
    fileprivate init(refusal status: Int32, device: String?) {
        let reason = SoundServerStream.sentence(status)
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
