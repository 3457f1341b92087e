import Foundation

/// The steps of a chain as its JSON has them: names and plain parameters.
///
/// A report reads records of any age, so this type is lenient and skips what it cannot read.
package struct ChainSteps {
    package struct Step {
        package let name: String
        package let parameters: [String: String]

        /// The ratio of a step with a numerator and a denominator.
        package var ratio: Double? {
            guard let numerator = parameters["numerator"].flatMap(Double.init),
                let denominator = parameters["denominator"].flatMap(Double.init), denominator != 0
            else { return nil }
            return numerator / denominator
        }
    }

    /// The steps in order; empty when there are none or the text cannot be read.
    package let steps: [Step]

    /// Reads a chain, either an array of `{"name": {…}}` or an object that holds it as `steps`.
    package init(json: String) {
        let value = try? JSONSerialization.jsonObject(with: Data(json.utf8))
        let list = (value as? [String: Any])?["steps"] ?? value
        steps = (list as? [[String: Any]] ?? []).compactMap { entry in
            guard let (name, parameters) = entry.first, entry.count == 1 else { return nil }
            let texts = (parameters as? [String: Any] ?? [:]).compactMapValues { value in
                (value as? String) ?? (value as? NSNumber)?.stringValue
            }
            return Step(name: name, parameters: texts)
        }
    }

    package func parameter(_ parameter: String, of name: String) -> String? {
        steps.last { $0.name == name }?.parameters[parameter]
    }
}
