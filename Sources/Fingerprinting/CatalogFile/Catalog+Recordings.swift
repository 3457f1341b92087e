import SystemIO

extension Catalog {
    /// A name of the recording of a reference, which depends on its peaks only.
    ///
    /// It is the same in every catalog that holds the recording, under any identifier. It takes the length and the
    /// times of every 64th peak, so it is quickly made. A damaged file gives another name and keeps the error.
    package func recordingName(at place: Int) -> [UInt8] {
        let store = contents.peakStore
        let recording = store.table.recording(place)
        var words = [
            UInt64(recording.frameCount), UInt64(recording.sampleRate), UInt64(store.table.peakCount(place)),
        ]
        let records = store.table.recordRange(place, of: store.records)
        let checkpoints = store.table.checkpointRange(place, of: store.checkpoints)
        // Of a very short recording there are hardly any times.
        if records.count <= 8 * PeakStore.checkpointRecords, store.records.isIntact(records) {
            words += records.map { UInt64(store.records[$0]) }
        }
        if store.checkpoints.isIntact(checkpoints) {
            words += checkpoints.map { UInt64(store.checkpoints[$0]) }
        }
        return Digest.sha1(
            words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } })
    }
}
