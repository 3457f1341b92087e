import ArgumentParser
import AudioIO

@main
struct MutatedAudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a command on mutated audio files",
        discussion: """
            The command must exit by itself, with 0, or with 1 and a message. {file} is replaced by the path of the \
            mutated file, and {out} by a path for output:

              MutatedAudio --count 10000 -- earshot signature -i {file} -o {out}

            The same seed and number give the same file. The folder keeps the files at which the command failed.
            """)

    @Option(help: "The number of files.")
    var count = 10_000

    @Option(help: "The number of the first file. Add --count 1 to repeat one file.")
    var first = 0

    @Option(help: "The seed of all files.")
    var seed: UInt64 = 1

    @Option(help: "The number of commands at once.")
    var jobs = 2

    @Option(help: "The time limit of a command in seconds.")
    var timeoutSeconds = 60.0

    @Option(help: "An existing folder for the files.")
    var folder: String

    @Argument(help: "The command, after --.")
    var command: [String]

    func validate() throws {
        guard count >= 1, jobs >= 1, timeoutSeconds > 0 else {
            throw ValidationError("--count, --jobs and --timeout-seconds must be above 0.")
        }
        guard command.contains(where: { $0.contains("{file}") }) else {
            throw ValidationError("The command has no {file}. Add {file} where the path belongs.")
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
