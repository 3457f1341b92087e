import AudioIO
import Foundation
import SystemIO

/// Where the program starts, before anything needs a thread.
@main
enum Program {
    static func main() {
        if CommandLine.arguments.dropFirst().first == DecoderProcess.argument { DecoderProcess.run() }
        // libdispatch reads the states of threads there, and Swift the arguments.
        guard access("/proc/self/stat", R_OK) == 0 else {
            end("/proc cannot be read. Mount it (mount -t proc proc /proc)")
        }
        if OpenFiles.limit < OpenFiles.least { OpenFiles.raiseLimit() }
        guard OpenFiles.limit >= OpenFiles.least else {
            end(
                "the limit of open files is \(OpenFiles.limit), and earshot needs \(OpenFiles.least). Raise the limit"
                    + " (ulimit -n)")
        }
        // One for each piece of work at a time, one for what hands it out, and one for signals.
        let error = startThreads(ProcessInfo.processInfo.activeProcessorCount + 2)
        guard error == 0 else {
            end(
                "no more threads can be started (\(String(cString: strerror(error)))). Raise the limit on processes"
                    + " (ulimit -u) or on memory (ulimit -v)")
        }
        Task {
            await Earshot.main()
            exit(0)
        }
        dispatchMain()
    }

    /// Tries to start threads that exist at the same time.
    ///
    /// libdispatch waits for ever for one that the system refuses.
    ///
    /// - Returns: 0, or the system's error number.
    private static func startThreads(_ count: Int) -> Int32 {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        var error: Int32 = 0
        while error == 0, threads.count < count {
            var thread = pthread_t()
            error = pthread_create(
                &thread, nil,
                { gate in
                    guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                    pthread_mutex_lock(gate)
                    pthread_mutex_unlock(gate)
                    return nil
                }, gate)
            if error == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        return error
    }

    private static func end(_ problem: String) -> Never {
        StandardError.print("Error: \(problem)")
        exit(1)
    }
}
