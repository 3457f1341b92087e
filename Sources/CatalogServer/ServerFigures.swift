import Foundation
import Synchronization

/// What the server counts, as text for Prometheus.
final class ServerFigures: Sendable {
    private struct Key: Hashable {
        let route: String
        let status: Int
    }

    private struct State {
        var requests: [Key: Int] = [:]
        var seconds: [Int] = .init(repeating: 0, count: bounds.count + 1)
        var sumSeconds = 0.0
        var matched = 0
        var unmatched = 0
    }

    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

    private let state = Mutex(State())

    func count(route: String, status: Int) {
        state.withLock { state in
            state.requests[Key(route: route, status: status), default: 0] += 1
        }
    }

    /// Counts a query that was answered.
    func count(isMatched: Bool, seconds: Double) {
        state.withLock { state in
            if isMatched { state.matched += 1 } else { state.unmatched += 1 }
            state.sumSeconds += seconds
            state.seconds[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        }
    }

    /// The text format of Prometheus, version 0.0.4.
    ///
    /// - Parameters:
    ///   - gauges: Name, help and value of what has a value now.
    ///   - limits: The limits of the server; 0 for none.
    func text(
        gauges: [(name: String, help: String, value: Double)], limits: [(name: String, value: Double)]
    ) -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func begin(_ name: String, _ type: String, _ help: String) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
        }
        begin("earshot_requests_total", "counter", "Requests by route and status.")
        for (key, count) in state.requests.sorted(by: {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }) {
            lines.append("earshot_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
        }
        begin("earshot_queries_total", "counter", "Queries by outcome.")
        for (outcome, count) in [("match", state.matched), ("noMatch", state.unmatched)] {
            lines.append("earshot_queries_total{outcome=\"\(outcome)\"} \(count)")
        }
        begin("earshot_query_seconds", "histogram", "Time from the whole query to its answer.")
        var total = 0
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.seconds) {
            total += count
            lines.append("earshot_query_seconds_bucket{le=\"\(bound)\"} \(total)")
        }
        lines += [
            "earshot_query_seconds_sum \(state.sumSeconds)", "earshot_query_seconds_count \(total)",
        ]
        for gauge in gauges {
            begin(gauge.name, "gauge", gauge.help)
            lines.append("\(gauge.name) \(gauge.value)")
        }
        begin("earshot_limit", "gauge", "Limits of the server.")
        lines += limits.map { "earshot_limit{name=\"\($0.name)\"} \($0.value)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
