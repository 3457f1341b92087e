// SPDX-License-Identifier: GPL-3.0-or-later

import Evaluation

/// A part of a run's report: its figures with every form that shows them.
///
/// A new panel is a file with this protocol and a line in `ReportModel.panelTypes`.
protocol ReportPanel: Sendable {
    /// Its CSV files, which have a head also without figures.
    static var tables: [RunTable] { get }

    /// Works out the figures, once for all forms. The model has no panels yet.
    init(_ model: ReportModel)

    /// Its part of the page; nil without figures. Parts of one `id` make one section, whose head is that of the first.
    func section(_ model: ReportModel) throws -> FigureSection?

    /// What the terminal says of it.
    var terminal: TerminalPart { get }

    /// Its keys in `summary.json`; those without a value are left out.
    var summary: [JSONObject.Entry] { get }
}

extension ReportPanel {
    static var tables: [RunTable] { [] }
    func section(_ model: ReportModel) throws -> FigureSection? { nil }
    var terminal: TerminalPart { TerminalPart() }
    var summary: [JSONObject.Entry] { [] }
}

/// What a panel adds to the figures of a run on a terminal.
struct TerminalPart {
    /// The kind of figures below which its rows are.
    var kind = ScoreFigure.Kind.rate
    /// A name, a figure, its range and its counts each.
    var rows: [[String]] = []
    /// Below all figures.
    var line: String?
    /// A table of its own with its head.
    var table: [[String]] = []
}
