// swift-format-ignore-file
import AVFAudio
import Combine
import Foundation
import ShazamKit

// A quiz beside a film: the microphone feeds a session, and timed items become questions.
final class FilmQuiz: NSObject, ObservableObject, SHSessionDelegate {
    @Published private(set) var question: String?
    @Published private(set) var hits = 0

    private let engine = AVAudioEngine()
    private let session: SHSession
    private var follower: AnyCancellable?

    init(film: SHSignature, questions: [(text: String, from: TimeInterval, to: TimeInterval)]) throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(film, representing: questions.map {
            SHMediaItem(properties: [.title: $0.text, .timeRanges: [$0.from..<$0.to]])
        })
        session = SHSession(catalog: catalog)
        super.init()
        session.delegate = self
        follower = $question.removeDuplicates().compactMap { $0 }.sink { print("Q:", $0) }
    }

    func start() throws {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .default, options: [.defaultToSpeaker, .allowBluetooth])
        let input = engine.inputNode
        input.installTap(onBus: 0, bufferSize: 4096, format: input.outputFormat(forBus: 0)) { [session] buffer, time in
            session.matchStreamingBuffer(buffer, at: time)
        }
        engine.prepare()
        try engine.start()
    }

    func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
        engine.reset()
    }

    func session(_ session: SHSession, didFind match: SHMatch) {
        hits += 1
        question = match.mediaItems.first { !$0.timeRanges.isEmpty }?.title
    }
}
