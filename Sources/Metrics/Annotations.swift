/// What several annotators of one recording agree on.
package enum Annotations {
    /// The stretches that at least `least` annotators mark with a label.
    ///
    /// A stretch counts if as many of them have a passage of that label whose intersection with it is at least
    /// ``PassageMatching/usualOverlap`` of the union. So two neighbours that overlap a little make no passage of their own.
    ///
    /// - Parameter annotations: the passages of each annotator; those of one annotator and label do not overlap.
    package static func agreed(_ annotations: [[LabelledSpan]], by least: Int) -> [LabelledSpan] {
        let labels = annotations.map { $0.byLabel() }
        return Set(labels.flatMap(\.keys)).sorted().flatMap { label -> [LabelledSpan] in
            let marked = labels.map { $0[label] ?? [] }
            return marked.flatMap(\.self).stretches(coveredBy: least).filter { stretch in
                let agreeing = marked.count { spans in
                    spans.contains { $0.overlapOverUnion(stretch) >= PassageMatching.usualOverlap }
                }
                return agreeing >= least
            }
        }.sorted { ($0.begin, $0.end, $0.label) < ($1.begin, $1.end, $1.label) }
    }

    /// The number of annotators that is more than half of `count`.
    package static func majority(of count: Int) -> Int { count / 2 + 1 }
}
