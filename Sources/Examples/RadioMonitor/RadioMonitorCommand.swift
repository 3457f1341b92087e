import ArgumentParser
import EarshotKit

/// Logs what was on in a broadcast, and when.
@main
struct RadioMonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio-monitor",
        abstract: "Log what was on in a broadcast, and when, as comma-separated values.",
        discussion: """
            A row is printed when an airing is over. Without files raw samples are read from standard input until it ends.
            """)

    /// How raw samples are stored.
    enum Samples: String, ExpressibleByArgument, CaseIterable {
        case s16le
        case f32le
    }

    @Argument(help: "The catalog.", transform: URL.init(fileURLWithPath:)) var catalog: URL
    @Argument(help: "The broadcast, file after file.", transform: URL.init(fileURLWithPath:))
    var files: [URL] = []
    @Option(help: "Samples in a second on standard input.") var rate = 44_100
    @Option(help: "Channels on standard input.") var channels: UInt32 = 1
    @Option(help: "How samples on standard input are stored, little-endian.") var samples = Samples.s16le

    func validate() throws {
        guard (1000...768_000).contains(rate), (1...64).contains(channels) else {
            throw ValidationError("expected a rate of 1000 to 768000 and 1 to 64 channels")
        }
    }

    func run() throws {
        let references = SHCustomCatalog()
        try references.add(from: catalog)
        print(Airing.header)
        let monitor = try RadioMonitor(catalog: references) { airing in
            print(airing.row)
            fflush(nil)
        } fail: { error in
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
        if files.isEmpty {
            let format = AVAudioFormat(
                commonFormat: samples == .s16le ? .pcmFormatInt16 : .pcmFormatFloat32,
                sampleRate: Double(rate), channels: channels, interleaved: true)
            guard let format else { throw SHError(.invalidAudioFormat) }
            try Broadcast.read(raw: .standardInput, format, monitor.hear)
        } else {
            for file in files { try Broadcast.read(file, monitor.hear) }
        }
        monitor.finish()
    }
}
