import ArgumentParser
import AudioIO

/// Where the decoders of files run.
struct SandboxOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Decode files of others in processes that can only read them.",
            discussion: """
                The kernel limits their memory and time, and refuses writing, network and programs. A file that crashes, \
                stops or fills its decoder is an error, and the command continues with the other files.
                """))
    var sandbox = false
}

/// A command that decodes files of others.
protocol DecodingCommand {
    var decoding: SandboxOptions { get }
}
