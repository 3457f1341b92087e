import ArgumentParser
import EarshotKit

@main
struct RadioMonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio-monitor", abstract: "Log the references in a broadcast as comma-separated values",
        discussion: """
            Each airing is printed when it ends. Without files, raw samples are read from standard input.
            """)

    enum Samples: String, ExpressibleByArgument, CaseIterable {
        case s16le
        case f32le
    }

    @Argument(help: "The catalog.", transform: URL.init(fileURLWithPath:)) var catalog: URL
    @Argument(help: "The files of the broadcast, in order.", transform: URL.init(fileURLWithPath:))
    var files: [URL] = []
    @Option(help: "The sample rate of standard input in hertz.") var rate = 44_100
    @Option(help: "The channel count of standard input.") var channels: UInt32 = 1
    @Option(help: "The format of samples on standard input, little-endian.") var samples = Samples.s16le

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
            try Broadcast.read(raw: .standardInput, format, monitor.append)
        } else {
            for file in files { try Broadcast.read(file, monitor.append) }
        }
        monitor.finish()
    }
}
