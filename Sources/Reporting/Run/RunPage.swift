// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation

extension ReportModel {
    /// The parts of the report in the order of the page, the only list of them.
    static let panelTypes: [any ReportPanel.Type] = [
        AgainstPanel.self, OverviewPanel.self, LadderPanel.self, ConditionPanel.self, NoisePanel.self,
        RecordingPanel.self,
        SeparationPanel.self, ThresholdPanel.self, ReliabilityPanel.self, CatalogGrowthPanel.self,
        CostPanel.self,
        PrecisionPanel.self, SkewPanel.self, LatencyPanel.self, SuspectPanel.self, TrialPanel.self,
    ]

    /// Judges and scores the records of a run, in any order.
    public init(records: [TrialRecord], facts: RunFacts) {
        self.init(records: records, facts: facts, suspects: nil, commands: .none)
    }

    /// The same with another list of commands.
    ///
    /// - Parameter suspects: recordings with doubtful truth. With a list the run is scored without them too.
    package init(
        records: [TrialRecord], facts: RunFacts, suspects: SuspectList? = nil, commands: RunCommands = .none
    ) {
        self.init(
            records: records, facts: facts, suspects: suspects, commands: commands, panels: Self.panelTypes)
    }

    /// The whole report as one page that opens without a network.
    var page: FigurePage {
        get throws {
            FigurePage(
                title: "\(facts.matcher.name) \(facts.matcher.version) on \(facts.corpusName)",
                verdict: verdict, scope: scope, sections: try sections,
                provenance: ProvenanceContent(run: facts), files: filesInWords, run: head)
        }
    }

    /// The parts of panels, those of one identifier together.
    private var sections: [FigureSection] {
        get throws {
            guard !trials.isEmpty else {
                return [FigureSection(id: "empty", title: "", text: "The run has no trials.")]
            }
            return try panels.compactMap { try $0.section(self) }.grouped(by: \.id).map { _, parts in
                var section = parts[0]
                for part in parts.dropFirst() {
                    section.charts += part.charts
                    section.tables += part.tables
                    section.folds += part.folds
                }
                return section
            }
        }
    }

    private var head: FigurePage.RunHead {
        FigurePage.RunHead(
            started: String(facts.startedAt.prefix(10)), planName: facts.planName, half: facts.half.rawValue,
            commit: ProvenanceContent.short(facts.commit), matcher: facts.matcher.name,
            version: facts.matcher.version, corpus: facts.corpusName, weakness: weakness,
            judgement: trials.isEmpty ? [] : [against.map(Judgement.init)].compactMap(\.self),
            previous: previous?.words ?? "")
    }

    private var filesInWords: String {
        let names = RunTable.all.dropFirst(2).map(\.name)
        return "The same figures are in trials.csv (every trial), cells.csv (every condition), "
            + names.joined(separator: ", ")
            + " and summary.json beside this page. Their schema version is \(Self.schemaVersion)."
    }
}

extension RunTable {
    /// The tables of a run, in the order in which they are written.
    ///
    /// The article *Columns of the tables* lists them.
    package static var all: [RunTable] {
        [trials, cells, recordings] + ReportModel.panelTypes.flatMap { $0.tables }
    }
}
