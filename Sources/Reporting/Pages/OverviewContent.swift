// SPDX-License-Identifier: GPL-3.0-or-later

/// The first screen: where the matcher is weak, by kind of degradation, by noise, by recording, and in one trial.
struct OverviewContent {
    /// A group of conditions: recall, interval, weakest condition.
    struct Family {
        let anchor: String
        let title: String
        let recall: String
        let interval: String
        let bar: String
        /// The anchor of the weakest condition; empty where all are found.
        let worstAnchor: String
        let worst: String
        let worstRecall: String
    }

    /// The least recall of the axis, in percent.
    let axisStart: String
    let families: [Family]
    let noiseMatrix: NoiseMatrix?
    let recordingBars: RecordingBars?
    let typicalMiss: TypicalMiss?
}

/// Recall by noise and signal-to-noise ratio; the columns are the ratios of the run, the highest first.
struct NoiseMatrix {
    struct Entry {
        let anchor: String
        let text: String
        let heat: String
        let spoken: String
    }

    let columns: [String]
    let rows: [(name: String, entries: [Entry])]
    let caption: String
}

/// Recall by recording as bars, the most misses first, and the worst by name.
struct RecordingBars {
    struct Bar {
        let name: String
        let title: String
        let style: String
        let recall: String
        let counts: String
        let isWorst: Bool
    }

    let bars: [Bar]
    let worst: [Bar]
    let caption: String
}

/// The miss to open first: from the kind of degradation with the most misses, best from a weak recording.
struct TypicalMiss {
    let place: Int
    let condition: String
    let recording: String
    let reason: String
    let hasSound: Bool
}
