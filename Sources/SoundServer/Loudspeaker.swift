import AudioCore
internal import CPulse

/// An open playback in one channel to a sink of PulseAudio or PipeWire.
///
/// The server converts to the sink's rate and channels. Silence plays while there is nothing else.
package final class Loudspeaker: Sendable {
    /// What the server keeps in advance: more survives a busier machine, but delays the sound.
    private static let bufferSeconds = 0.4

    private let stream: SoundServerStream

    /// Opens a sink and waits for the server's answer.
    ///
    /// `device` is the sink's name as `pactl list short sinks` prints it; nil is the server's default.
    /// `applicationName` and `server` are as for ``Microphone``.
    /// - Throws: ``LoudspeakerError`` without a server or sink.
    package init(
        sampleRate: Int, device: String? = nil, applicationName: String, server: String? = nil
    ) throws {
        stream = try SoundServerStream(
            applicationName: applicationName, sampleRate: sampleRate,
            channelCount: 1)
        let buffer = Int(bounded: Double(sampleRate) * Self.bufferSeconds) * 4
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
    }

    /// Plays after what was given before; returns at once.
    /// - Throws: ``LoudspeakerError`` if the server or the sink has gone.
    package func play(_ samples: [Float]) throws {
        try stream.locked {
            guard stream.living != nil else {
                let reason = SoundServerStream.sentence(stream.status)
                throw LoudspeakerError(description: "the playback broke off: \(reason)")
            }
            stream.append(samples)
        }
    }
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
