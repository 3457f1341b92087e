/// Minimises a function of a few variables without derivatives.
///
/// J. A. Nelder and R. Mead, "A simplex method for function minimization", Computer Journal 7(4), 1965.
enum NelderMead {
    /// Searches from `start` with a simplex of the sizes `steps`, none of which may be 0.
    ///
    /// Ends when the values at the corners differ by less than `tolerance`. `function` must be finite everywhere.
    static func minimum(
        from start: [Double], steps: [Double], tolerance: Double, of function: ([Double]) -> Double
    ) -> [Double] {
        var corners = [(point: start, value: function(start))]
        for (index, step) in steps.enumerated() {
            var point = start
            point[index] += step
            corners.append((point, function(point)))
        }
        // Tens of steps for each variable are usual; the bound only guards against a flat function.
        for _ in 0..<(400 * start.count) {
            corners.sort { $0.value < $1.value }
            let (best, worst) = (corners[0], corners[corners.count - 1])
            if worst.value - best.value < tolerance { break }
            let centre = start.indices.map { axis in
                corners.dropLast().reduce(0) { $0 + $1.point[axis] } / Double(start.count)
            }
            func moved(_ factor: Double) -> (point: [Double], value: Double) {
                let point = zip(centre, worst.point).map { $0 + factor * ($0 - $1) }
                return (point, function(point))
            }
            let reflected = moved(1)
            if reflected.value < best.value {
                let expanded = moved(2)
                corners[corners.count - 1] = expanded.value < reflected.value ? expanded : reflected
            } else if reflected.value < corners[corners.count - 2].value {
                corners[corners.count - 1] = reflected
            } else {
                let contracted = moved(reflected.value < worst.value ? 0.5 : -0.5)
                if contracted.value < min(reflected.value, worst.value) {
                    corners[corners.count - 1] = contracted
                } else {
                    corners = corners.map { corner in
                        let point = zip(corner.point, best.point).map { ($0 + $1) / 2 }
                        return (point, function(point))
                    }
                }
            }
        }
        return corners.min { $0.value < $1.value }?.point ?? start
    }
}
