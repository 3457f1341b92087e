import ArgumentParser
import AudioIO

/// Runs a program on mutated audio files and checks that it always exits with 0, or with 1 and a message.
@main
struct MutatedAudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Run a command on mutated audio files; it must exit with 0, or with 1 and a message",
        discussion: """
            In the command, {file} is the mutated file and {out} a path for output:

              MutatedAudio --count 10000 -- earshot signature -i {file} -o {out}

            The same seed and number give the same file. Files with failures stay in the folder.
            """)

    @Option(help: "The number of files.")
    var count = 10_000

    @Option(help: "The number of the first file; repeat one with --count 1.")
    var first = 0

    @Option(help: "The seed of all files.")
    var seed: UInt64 = 1

    @Option(help: "The number of commands to run at once.")
    var jobs = 2

    @Option(help: "Seconds after which a command counts as hung.")
    var timeoutSeconds = 60.0

    @Option(help: "The folder for the files; it must exist.")
    var folder: String

    @Argument(help: "The command, after --.")
    var command: [String]

    func validate() throws {
        guard count >= 1, jobs >= 1, timeoutSeconds > 0 else {
            throw ValidationError("count, jobs and timeout must be above 0")
        }
        guard command.contains(where: { $0.contains("{file}") }) else {
            throw ValidationError("The command lacks {file}. Add it where the file's path belongs.")
        }
    }

    func run() async throws {
        let mutator = FileMutator(originals: try OriginalFile.all(), seed: seed)
        let trial = CommandTrial(command: command, folder: folder, timeoutSeconds: timeoutSeconds)
        let summary = await withTaskGroup(of: Summary.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var summary = Summary()
                    for number in stride(from: first + job, to: first + count, by: jobs) {
                        summary.add(number, trial.run(mutator.file(number)))
                    }
                    return summary
                }
            }
            return await group.reduce(into: Summary()) { $0.add($1) }
        }
        print(summary)
        guard summary.failures.isEmpty else { throw ExitCode.failure }
    }
}
