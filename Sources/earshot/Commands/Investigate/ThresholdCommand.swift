import ArgumentParser
import Evaluation
import Reporting
import SystemIO

struct ThresholdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threshold",
        abstract: "Choose the threshold of a matcher from the answers of a run",
        discussion: """
            Works for any matcher whose answers below its threshold have scores. Names a threshold, and what it finds, \
            accepts falsely and costs on recordings that had no part in the choice. Says if the run has too few \
            negatives to tell.
            """)

    @Argument(help: "The folder of the run.", completion: .directory)
    var folder: String
    @Option(
        help: ArgumentHelp(
            "Accept about this share of unknown queries, such as 0.001.",
            discussion: "Without it, takes the threshold of the least expected cost.", valueName: "share"))
    var falseAccepts: Double?
    @Option(
        help: ArgumentHelp(
            "Accept at most the share of --false-accepts of as many other recordings, with this probability, such as 0.95.",
            discussion: "Says so if the run has too few recordings for it.", valueName: "probability"))
    var confidence: Double?
    @Option(
        help:
            "Only this condition, such as \"pink noise\", \"pink noise 0 dB\" or \"clean, 5 s\". Can be repeated."
    )
    var condition: [String] = []
    @Option(help: "The price of a false accept.")
    var priceFalseAccept = 1.0
    @Option(help: "The price of a miss.")
    var priceMiss = 1.0
    @Option(help: "The price of a wrong reference. (default: that of a false accept)")
    var priceWrongReference: Double?
    @Option(help: "The share of queries that are of enrolled recordings.")
    var prior = 0.5
    @Option(help: .writes("thresholds over the whole range as CSV"))
    var csv: String?
    @Option(help: .writes("the choices as JSON"))
    var json: String?

    func validate() throws {
        try require("--false-accepts", falseAccepts, in: 0...1)
        try reject(
            if: confidence != nil && !(falseAccepts ?? 0 > 0),
            "--confidence belongs to --false-accepts above 0")
        try reject(
            if: confidence.map { !($0 > 0.5 && $0 < 1) } ?? false,
            "--confidence \(confidence ?? 0) is not between 0.5 and 1")
        try require("--price-false-accept", priceFalseAccept, in: 0...1e9)
        try require("--price-miss", priceMiss, in: 0...1e9)
        try require("--price-wrong-reference", priceWrongReference, in: 0...1e9)
        try reject(if: !(prior > 0 && prior < 1), "--prior \(prior) is not between 0 and 1")
    }

    func run() throws {
        let run = try RunFolder(reading: folder).onlyRun()
        let text = try ThresholdText(
            run.records, run.facts, falseAccepts: falseAccepts, confidence: confidence, conditions: condition,
            prices: (prior, priceFalseAccept, priceMiss, priceWrongReference))
        if ![csv, json].contains(StandardOutput.path) { try StandardOutput.write(text.plain) }
        try StandardOutput.write(text.csv, to: csv)
        try StandardOutput.write(text.json(), to: json)
    }
}
