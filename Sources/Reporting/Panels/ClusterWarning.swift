// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics

/// The warning for a bootstrap interval of few clusters.
enum ClusterWarning {
    /// Empty with enough clusters.
    static func text(_ clusters: Int) -> String {
        guard clusters < ClusteredEstimate.enoughClusters else { return "" }
        return "These intervals are of \(clusters.text) recordings, fewer than "
            + "\(ClusteredEstimate.enoughClusters), so they may be too narrow."
    }
}
