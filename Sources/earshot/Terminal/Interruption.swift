import Foundation

/// A command that continues where it was interrupted.
protocol ResumableCommand: DecodingCommand {}

/// What Ctrl-C does.
enum Interruption {
    /// Makes Ctrl-C say how to go on before it ends the program.
    ///
    /// Programs that are started are not affected. A shell that lets the program ignore Ctrl-C still does.
    static func explain() {
        var former = sigaction()
        sigaction(SIGINT, nil, &former)
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        guard unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) != ignored else { return }
        signal(SIGINT) { number in
            // Only what is safe in a handler.
            let text: StaticString = "\nInterrupted. Run the same command again to continue.\n"
            _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            signal(number, SIG_DFL)
            raise(number)
        }
    }
}
