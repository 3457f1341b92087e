// swift-format-ignore-file
import AVFAudio
import ShazamKit
import UniformTypeIdentifiers

// What an app's model, settings and tests name beside the matcher.
@Observable final class Model {
    var titles: [String] = []

    func follow(_ changed: @escaping @Sendable () -> Void) {
        withObservationTracking { _ = titles } onChange: { changed() }
    }
}

func fetchItem(_ id: String, then show: @escaping @Sendable (String?) -> Void) {
    SHMediaItem.fetch(shazamID: id) { item, error in
        show(item?.title ?? error?.localizedDescription)
    }
}

func preview(_ signature: SHSignature) -> SHMatch {
    let item = SHMatchedMediaItem(properties: [.title: "Song", .matchOffset: 12.5, .explicitContent: 1])
    return SHMatch(mediaItems: [item], querySignature: signature)
}

func failure(_ reason: String) -> SHError {
    SHError(.matchAttemptFailed, userInfo: [NSLocalizedDescriptionKey: reason])
}

func configureSession() throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playAndRecord, mode: .measurement, options: [.allowBluetooth, .allowBluetoothA2DP, .allowAirPlay])
    try session.setMode(.spokenAudio)
    try session.setPreferredSampleRate(48_000)
    try session.setPreferredIOBufferDuration(0.1)
    NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: session, queue: nil
    ) { note in
        guard let raw = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
              AVAudioSession.InterruptionType(rawValue: raw) == .ended else { return }
    }
}

func isMovie(_ url: URL) -> Bool {
    UTType(filenameExtension: url.pathExtension)?.conforms(to: .movie) == true || url.pathExtension == UTType.quickTimeMovie.preferredFilenameExtension
}

func resample(_ converter: AVAudioConverter, to output: AVAudioPCMBuffer, from input: AVAudioPCMBuffer) {
    converter.convert(to: output, error: nil) { _, status in
        status.pointee = .haveData
        return input
    }
}
