import Foundation
import Synchronization

/// Shows progress on standard error: a bar with rate and time left on a terminal, else a line a tenth.
final class ProgressDisplay: Sendable {
    private struct State {
        var stage = ""
        var began = ContinuousClock.now
        var firstDone = 0
        var lastShown = ContinuousClock.now
        var lastTenth = -1
        var isLineOpen = false
    }

    private let state = Mutex(State())

    /// Takes one report of a stage, from any thread.
    @Sendable func show(_ stage: String, done: Int, of total: Int) {
        state.withLock { state in
            let now = ContinuousClock.now
            if stage != state.stage {
                if state.isLineOpen { StandardError.write("\n") }
                state = State(stage: stage, began: now, firstDone: done, lastShown: now)
            }
            let isLast = done >= total
            let elapsed = max((now - state.began) / .seconds(1), 1e-3)
            let timing = Self.timing(
                done: done, since: state.firstDone, total: total, elapsedSeconds: elapsed)
            if StandardError.isTerminal {
                guard isLast || now - state.lastShown > .milliseconds(100) else { return }
                state.lastShown = now
                state.isLineOpen = !isLast
                let bar = Self.bar(done: done, total: total)
                StandardError.write(
                    "\r\(stage) \(bar) \(done)/\(total)\(timing)\u{1B}[K\(isLast ? "\n" : "")")
            } else {
                let tenth = done * 10 / max(1, total)
                guard isLast || tenth > state.lastTenth else { return }
                state.lastTenth = isLast ? Int.max : tenth
                StandardError.print("\(stage): \(done) of \(total)\(timing)")
            }
        }
    }

    private static func bar(done: Int, total: Int) -> String {
        let width = 28
        let filled = min(width, width * done / max(1, total))
        return String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    }

    private static func timing(done: Int, since first: Int, total: Int, elapsedSeconds: Double) -> String {
        guard done > first else { return "" }
        let rate = Double(done - first) / elapsedSeconds
        if done >= total { return String(format: ", %.1f/s", rate) }
        let left = Int(Double(total - done) / rate)
        return String(format: ", %.1f/s, %d:%02d left", rate, left / 60, left % 60)
    }
}
