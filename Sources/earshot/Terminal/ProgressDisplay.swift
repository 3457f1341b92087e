import ArgumentParser
import AudioCore
import Corpora
import Foundation
import Synchronization
import SystemIO

/// For people, or a line of JSON for each report.
enum ProgressForm: String, ExpressibleByArgument, CaseIterable { case text, json }

/// Shows progress on standard error: a bar with rate and time left on a terminal, else a line a tenth.
final class ProgressDisplay: Sendable {
    /// A line of JSON.
    private struct Report: Encodable {
        let stage: String
        let done: Int
        let total: Int
        let seconds: Double
    }

    private struct State {
        var stage = ""
        var began = ContinuousClock.now
        var firstDone = 0
        var lastShown = ContinuousClock.now
        var lastTenth = -1
        var isLineOpen = false
    }

    private let form: ProgressForm
    private let state = Mutex(State())

    init(_ form: ProgressForm = .text) { self.form = form }

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
            if form == .json || StandardError.isTerminal {
                guard isLast || now - state.lastShown > .milliseconds(100) else { return }
                state.lastShown = now
                if form == .json {
                    let report = Report(stage: stage, done: done, total: total, seconds: elapsed)
                    if let line = try? report.jsonLine() { StandardError.print(line) }
                    return
                }
                state.isLineOpen = !isLast
                let line = Self.line(stage, done: done, of: total, timing, columns: StandardError.columns)
                StandardError.write("\r\(line)\u{1B}[K\(isLast ? "\n" : "")")
            } else {
                let tenth = done * 10 / max(1, total)
                guard isLast || tenth > state.lastTenth else { return }
                state.lastTenth = isLast ? Int.max : tenth
                StandardError.print("\(stage): \(done) of \(total)\(timing)")
            }
        }
    }

    /// A line that fits into a terminal: the bar gets what the words leave.
    private static func line(
        _ stage: String, done: Int, of total: Int, _ timing: String, columns: Int
    ) -> String {
        let words = " \(done)/\(total)\(timing)"
        // The last column stays free, where terminals may wrap.
        let width = min(28, columns - 2 - stage.count - words.count)
        let line =
            width < 4 ? stage + words : "\(stage) \(bar(done: done, total: total, width: width))\(words)"
        return String(line.prefix(max(1, columns - 1)))
    }

    private static func bar(done: Int, total: Int, width: Int) -> String {
        let filled = min(width, width * done / max(1, total))
        return String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    }

    private static func timing(done: Int, since first: Int, total: Int, elapsedSeconds: Double) -> String {
        guard done > first else { return "" }
        let rate = Double(done - first) / elapsedSeconds
        if done >= total { return String(format: ", %.1f/s", rate) }
        let left = Int(bounded: Double(total - done) / rate)
        return String(format: ", %.1f/s, %d:%02d left", rate, left / 60, left % 60)
    }
}

/// Shows how a fetch goes on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
final class FetchDisplay: Sendable {
    private let isTerminal = StandardError.isTerminal
    private let started = Mutex<Set<String>>([])

    /// Shows one step; may be called from any thread.
    @Sendable func show(_ progress: CorpusFetcher.Progress) {
        switch progress {
        case .present(let package, let files):
            StandardError.print("\(package): \(files.counting("file is", "files are")) in the cache")
        case .downloading(let package, let bytes, let total):
            let size = total.map { " of \(Self.megabytes($0))" } ?? ""
            if isTerminal {
                StandardError.write("\r\u{1B}[K\(package): downloading \(Self.megabytes(bytes))\(size)")
            } else if started.withLock({ $0.insert(package).inserted }) {
                StandardError.print("\(package): downloading \(total.map(Self.megabytes) ?? "")")
            }
        case .unpacking(let package):
            if isTerminal { StandardError.write("\r\u{1B}[K\(package): unpacking") }
        case .installed(let package, let files):
            if isTerminal { StandardError.write("\r\u{1B}[K") }
            StandardError.print("\(package): \(files.counting("file")) fetched")
        }
    }

    private static func megabytes(_ bytes: Int) -> String { "\((bytes + 500_000) / 1_000_000) MB" }
}
