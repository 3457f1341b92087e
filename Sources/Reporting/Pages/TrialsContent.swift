// SPDX-License-Identifier: GPL-3.0-or-later

/// The table of all trials with the details in the page.
struct TrialsContent {
    let columns: String
    /// The details in the page by their place in the order of the plan.
    let details: [(place: Int, json: String)]
    /// Whether the page loads details from files beside it.
    let hasFiles: Bool
}
