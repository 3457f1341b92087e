import EarshotKit
import TestSupport
import Testing

@Suite(.tags(.timed)) struct AVAudioSessionTests {
    @Test func settingsAreStored() throws {
        let session = AVAudioSession(server: nil)
        #expect(session.category == .playAndRecord)
        try session.setCategory(.record)
        #expect(session.category == .record && session.mode == .default && session.categoryOptions == [])
        try session.setCategory(.playAndRecord, mode: .measurement, options: [.mixWithOthers, .duckOthers])
        #expect(session.category == .playAndRecord && session.mode == .measurement)
        #expect(session.categoryOptions == [.mixWithOthers, .duckOthers])
        #expect(session.sampleRate == AVAudioEngine().inputNode.outputFormat(forBus: 0).sampleRate)
        #expect(session.inputNumberOfChannels == 1)
        #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance())
    }

    @Test func recordingIsGrantedAtOnce() async {
        var answers: [Bool] = []
        AVAudioSession.sharedInstance().requestRecordPermission { answers.append($0) }
        AVAudioApplication.requestRecordPermission { answers.append($0) }
        #expect(answers == [true, true])
        #expect(await AVAudioApplication.requestRecordPermission())
        #expect(AVAudioSession.sharedInstance().recordPermission == .granted)
        #expect(AVAudioApplication.shared.recordPermission == .granted)
    }

    @Test func withoutAServerNothingIsActivatedOrStarted() {
        let server = "unix:/nowhere/socket"
        let session = AVAudioSession(server: server)
        #expect(!session.isInputAvailable)
        let engine = AVAudioEngine(server: server, session: session)
        engine.inputNode.installTap(onBus: 0, bufferSize: 100, format: nil) { _, _ in }
        let activation = #expect(throws: AVFAudioError.self) { try session.setActive(true) }
        let start = #expect(throws: AVFAudioError.self) { try engine.start() }
        for error in [activation, start] {
            #expect(error?.code == .cannotStartRecording)
            #expect(error.map { ($0 as NSError).localizedDescription.contains(server) } == true)
        }
        #expect(!engine.isRunning)
    }
}
