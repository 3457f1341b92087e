import Studies

/// All that is reported of a study of intros: every file is made of this one value.
package struct IntroModel: Sendable {
    let plan: IntroPlanFile
    let corpusDigest: String
    let matcher: String
    let records: [IntroRecord]
    let score: IntroScore
    let tags: TagScore
    let margins: [IntroScore]

    /// Scores the records of a study.
    ///
    /// - Parameter matcher: its name and version.
    package init(plan: IntroPlanFile, corpusDigest: String, matcher: String, records: [IntroRecord]) {
        self.plan = plan
        self.corpusDigest = corpusDigest
        self.matcher = matcher
        self.records = records
        score = IntroScore(records, margin: plan.margin)
        tags = TagScore(records)
        let tried = [0, 2, 4, 6, 8, 10, 12, 16, 20, 30] + [plan.margin]
        margins = Set(tried).sorted().map { IntroScore(records, margin: $0) }
    }
}
