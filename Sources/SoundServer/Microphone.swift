import AudioCore
import AudioIO
internal import CPulse
import Synchronization

/// An open recording from a source of PulseAudio or PipeWire.
///
/// The server converts to the requested rate and channels. Recording begins when the microphone is opened and ends when
/// it is closed or deallocated. Of unread audio, the latest 5 seconds are kept.
package final class Microphone: Sendable {
    /// The rates that the server accepts, in hertz.
    package static let sampleRates = 1000...384_000
    /// The channel counts that the server accepts.
    package static let channelCounts = 1...32
    /// The length of the fragments that the server sends, which is the least latency.
    private static let fragmentSeconds = 0.02
    /// Older unread audio is lost.
    package static let backlogSeconds = 5.0

    package let sampleRate: Int
    package let channelCount: Int

    private let stream: SoundServerStream
    private let readerLock = Mutex(())

    /// Opens a source and waits for the server's answer.
    ///
    /// `device` is the source's name as `pactl list short sources` prints it; nil is the server's default.
    /// `applicationName` is the name in the server's mixers.
    /// `server` is an address such as "unix:/run/user/1000/pulse/native"; nil is PULSE_SERVER, or the user's own server.
    /// - Throws: ``MicrophoneError`` without a server or source, or if the server refuses the format.
    package init(
        sampleRate: Int, channelCount: Int, device: String? = nil, applicationName: String,
        server: String? = nil
    ) throws(MicrophoneError) {
        guard Self.sampleRates.contains(sampleRate), Self.channelCounts.contains(channelCount) else {
            throw MicrophoneError(
                .invalidFormat,
                "cannot record \(channelCount) channels at \(sampleRate) Hz; expected "
                    + "\(Self.channelCounts.lowerBound) to \(Self.channelCounts.upperBound) channels and "
                    + "\(Self.sampleRates.lowerBound) to \(Self.sampleRates.upperBound) Hz")
        }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        let mostFrames = Int(bounded: Double(sampleRate) * Self.backlogSeconds)
        let stream = try SoundServerStream(
            applicationName: applicationName, sampleRate: sampleRate,
            channelCount: channelCount, mostSamples: mostFrames * channelCount)
        self.stream = stream
        let fragment = max(1, Int(bounded: Double(sampleRate) * Self.fragmentSeconds)) * channelCount * 4
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragment))
        let flags = pa_stream_flags_t(
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
                | PA_STREAM_AUTO_TIMING_UPDATE.rawValue)
        let isOpen = stream.open("recording", server: server) { recording, context in
            pa_stream_set_latency_update_callback(
                recording, SoundServerStream.signal, UnsafeMutableRawPointer(stream.loop))
            pa_stream_set_read_callback(recording, Self.copyFragments, context)
            return pa_stream_connect_record(recording, device, &attributes, flags)
        }
        guard isOpen else {
            let place = server.map { "the sound server at \($0)" } ?? "the sound server"
            throw MicrophoneError(refusal: stream.status, of: place, device: device)
        }
    }

    /// Copies and returns each fragment at once, because libpulse waits forever for lent ones when the server dies.
    private static let copyFragments: pa_stream_request_cb_t = { recording, _, context in
        guard let recording, let context else { return }
        let stream = Unmanaged<SoundServerStream>.fromOpaque(context).takeUnretainedValue()
        var bytes: UnsafeRawPointer?
        var byteCount = 0
        while pa_stream_peek(recording, &bytes, &byteCount) >= 0, byteCount > 0 {
            // Where the server lost audio there are no bytes.
            let samples = UnsafeBufferPointer(
                start: bytes?.assumingMemoryBound(to: Float.self), count: bytes == nil ? 0 : byteCount / 4)
            stream.append(samples)
            if bytes == nil { stream.append(repeatElement(0, count: byteCount / 4)) }
            pa_stream_drop(recording)
        }
        pa_threaded_mainloop_signal(stream.loop, 0)
    }

    /// Waits for the next `frames` frames, at least 1.
    ///
    /// Concurrent readers take turns. A suspended source sends nothing, so the call waits.
    /// - Throws: ``MicrophoneError`` if the recording ends before; frames that have arrived are then lost.
    package func read(frames: Int) throws(MicrophoneError) -> AudioBuffer {
        precondition(frames >= 1, "cannot read \(frames) frames")
        var samples: [Float] = []
        samples.reserveCapacity(frames * channelCount)
        try readerLock.withLock { _ throws(MicrophoneError) in
            try stream.locked { () throws(MicrophoneError) in
                while true {
                    guard !stream.isClosed else {
                        throw MicrophoneError(.interrupted, "the microphone was closed")
                    }
                    samples += stream.take(frames * channelCount - samples.count)
                    if samples.count == frames * channelCount { return }
                    guard stream.living != nil else {
                        let reason = SoundServerStream.sentence(stream.status)
                        throw MicrophoneError(.interrupted, "the recording broke off: \(reason)")
                    }
                    pa_threaded_mainloop_wait(stream.loop)
                }
            }
        }
        return samples.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: sampleRate, channelCount: channelCount)
        }
    }

    /// The age of the next unread frame in seconds, by the server's estimate; 0 if closed.
    package func latencySeconds() -> Double {
        stream.locked {
            var microseconds: pa_usec_t = 0
            var isNegative: Int32 = 0
            while let recording = stream.living {
                if pa_stream_get_latency(recording, &microseconds, &isNegative) >= 0 {
                    let server = isNegative != 0 ? 0 : Double(microseconds) / 1e6
                    return server + Double(stream.samples.count / channelCount) / Double(sampleRate)
                }
                // The server has not reported its latency yet.
                guard stream.status == Int32(PA_ERR_NODATA.rawValue) else { return 0 }
                pa_threaded_mainloop_wait(stream.loop)
            }
            return 0
        }
    }

    /// Releases the device and interrupts readers; may be called twice.
    package func close() { stream.close() }
}

extension MicrophoneError {
    fileprivate init(refusal status: Int32, of place: String, device: String?) {
        let reason = SoundServerStream.sentence(status)
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
}
