// swift-format-ignore-file
import AVFAudio
import AVFoundation
import ShazamKit
import UniformTypeIdentifiers

// Every symbol once.
func symbolsOfItems(_ match: SHMatch, _ signature: SHSignature) async throws {
    let keys: [SHMediaItemProperty] = [
        .shazamID, .title, .subtitle, .artist, .webURL, .appleMusicID, .appleMusicURL, .artworkURL, .videoURL, .ISRC, .explicitContent,
        .genres, .matchOffset, .frequencySkew, .timeRanges, .frequencySkewRanges, .creationDate, .confidence,
    ]
    for item in match.mediaItems {
        let texts: [String?] = [item.title, item.subtitle, item.artist, item.shazamID, item.appleMusicID, item.isrc]
        let urls: [URL?] = [item.webURL, item.appleMusicURL, item.artworkURL, item.videoURL]
        let facts: (UUID, [String], Bool, Date?, [Range<TimeInterval>], [Range<Float>]) =
            (item.id, item.genres, item.explicitContent, item.creationDate, item.timeRanges, item.frequencySkewRanges)
        let places: (TimeInterval, TimeInterval, Float, Float) = (item.matchOffset, item.predictedCurrentMatchOffset, item.frequencySkew, item.confidence)
        let values: [Any] = keys.map { item[$0] }
        print(texts, urls, facts, places, values)
    }
    let made = SHMatch(mediaItems: [SHMatchedMediaItem(properties: [.matchOffset: 1.5])], querySignature: signature)
    print(made.querySignature.duration, try await SHMediaItem.fetch(shazamID: "1"))
    SHMediaItem.fetch(shazamID: "1") { item, error in print(item as Any, error as Any) }
    SHSignatureGenerator.generateSignature(from: AVURLAsset(url: URL(fileURLWithPath: "a"))) { signature, error in print(signature as Any, error as Any) }
    SHMediaLibrary.default.add([made.mediaItems[0]]) { error in print(error as Any) }
    try await SHMediaLibrary.default.add(made.mediaItems)
}
func symbolsOfErrors(_ error: SHError) -> [SHError.Code] {
    print(SHErrorDomain, error.code, error.userInfo, SHError(.internalError, userInfo: [:]).errorCode)
    return [
        .invalidAudioFormat, .audioDiscontinuity, .signatureInvalid, .signatureDurationInvalid, .matchAttemptFailed, .customCatalogInvalid,
        .customCatalogInvalidURL, .mediaLibrarySyncFailed, .internalError, .mediaItemFetchFailed,
    ]
}
func symbolsOfTypes() -> [UTType?] {
    [UTType("public.audio"), UTType(filenameExtension: "mov"), .shazamSignature, .shazamCustomCatalog, .audio, .movie, .quickTimeMovie, .data]
}
func symbolsOfSound(_ url: URL, _ converter: AVAudioConverter) async throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback, mode: .voiceChat, options: [.allowBluetoothA2DP, .allowAirPlay, .mixWithOthers])
    try session.setPreferredSampleRate(44_100)
    try session.setPreferredIOBufferDuration(0.02)
    try session.overrideOutputAudioPort(.speaker)
    let categories: [AVAudioSession.Category] = [.soloAmbient, .multiRoute, .record, .ambient]
    print(categories, session.inputLatency, session.outputLatency, AVAudioSession.routeChangeNotification, AVAudioSession.mediaServicesWereResetNotification)
    let asset = AVURLAsset(url: url)
    let duration: CMTime = try await asset.load(.duration)
    let tracks = try await asset.loadTracks(withMediaType: .audio)
    print(duration.seconds, CMTimeGetSeconds(duration), tracks.count)
    let engine = AVAudioEngine()
    engine.reset()
    print(engine.isInManualRenderingMode, engine.manualRenderingMode, AVAudioApplication.shared.recordPermission)
}
