import Evaluation

extension CellScore {
    /// The condition in words: `pink noise −3 dB, 5 s`.
    var title: String {
        let condition = NumberText.condition(severity: key.severity, lengthSeconds: key.lengthSeconds)
        return key.degradation + (key.severity.isEmpty ? ", " : " ") + condition
    }
}
