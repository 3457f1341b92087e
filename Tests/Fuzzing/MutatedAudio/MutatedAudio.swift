import ArgumentParser
import AudioIO

/// Runs a program on mutated audio files and checks that it always exits by itself and says why.
@main
struct MutatedAudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Runs a command on mutated audio files; it must exit by itself, with 0, or with 1 and a message.",
        discussion: """
            The words {file} and {out} of the command stand for the mutated file and for a path it may write to:

              MutatedAudio --count 10000 -- earshot signature -i {file} -o {out}

            The same seed and number give the same file; those that fail are kept in the folder.
            """)

    @Option(help: "How many files.")
    var count = 10_000

    @Option(help: "The number of the first file; to look at one again, with --count 1.")
    var first = 0

    @Option(help: "The seed all files are made from.")
    var seed: UInt64 = 1

    @Option(help: "How many commands run at once.")
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
            throw ValidationError("the command does not say {file}")
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
