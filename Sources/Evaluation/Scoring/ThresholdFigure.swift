import Metrics

/// A figure of a threshold with all that is said of it.
///
/// ``all`` declares every figure once. The table, JSON, the page and the terminal read it there.
package struct ThresholdFigure: Sendable {
    /// Its name in tables and JSON.
    package let id: String
    /// Its name for people.
    package let title: String
    package let meaning: String
    package let value: Value

    package enum Value: Sendable {
        case rate(@Sendable (OperatingPoint) -> Proportion)
        /// A price in the unit of those that were given.
        case price(
            @Sendable (OperatingPoint) -> Double?, interval: @Sendable (OperatingPoint) -> Interval?)
    }

    /// Every figure, in the order of columns.
    package static let all: [ThresholdFigure] = [
        .init(id: "recall", title: "Recall", meaning: "right claims over positives", value: .rate(\.recall)),
        .init(
            id: "falseAcceptRate", title: "False accepts",
            meaning: "negatives with a claim; equal samples count once", value: .rate(\.falseAccepts)),
        .init(
            id: "wrongReferenceRate", title: "Wrong references", meaning: "positives with a wrong claim",
            value: .rate(\.wrongReferences)),
        .init(
            id: "precision", title: "Precision", meaning: "right accepted answers over all accepted answers",
            value: .rate(\.precision)),
        .init(
            id: "expectedCost", title: "Expected cost",
            meaning: "expected price of a decision on a query at the given prices and prior",
            value: .price(\.cost, interval: \.costInterval)),
    ]

    package func number(in point: OperatingPoint) -> Double? {
        switch value {
        case .rate(let rate): rate(point).rate
        case .price(let price, _): price(point)
        }
    }

    /// Its 95 % interval by recording.
    package func interval(of point: OperatingPoint) -> Interval? {
        switch value {
        case .rate(let rate): rate(point).wilsonInterval()
        case .price(_, let interval): interval(point)
        }
    }

    /// Nil unless it is a rate.
    package func rate(of point: OperatingPoint) -> Proportion? {
        if case .rate(let rate) = value { rate(point) } else { nil }
    }
}
