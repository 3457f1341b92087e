/// The peaks of all references in their stored form, with random access.
///
/// Each reference has its `PeakRecords`, and for every 64 of them a checkpoint: the time up to that record.
struct PeakStore: Sendable {
    static let checkpointRecords = 64

    let table: ReferenceTable
    let records: FrozenArray<UInt32>
    /// The times before records 0, 64, 128 … of each reference, in 1/64 frame.
    let checkpoints: FrozenArray<UInt32>

    var byteCount: Int { 4 * (records.count + checkpoints.count) }

    /// Replaces `scratch` by the peaks of a reference within `frames`, in order of time.
    ///
    /// The cost depends on the length of the window, not on that of the reference. A damaged file gives fewer peaks and
    /// keeps the error.
    func peaks(of reference: Int, frames: ClosedRange<Int>, into scratch: inout [Peak]) {
        scratch.removeAll(keepingCapacity: true)
        let own = table.recordRange(reference, of: records)
        let marks = table.checkpointRange(reference, of: checkpoints)
        let low = max(0, frames.lowerBound) &* FrequencyScale.timeSteps
        let high = min(max(0, frames.upperBound), Int(UInt32.max)) &* FrequencyScale.timeSteps
        guard !own.isEmpty, !marks.isEmpty, frames.upperBound >= 0, checkpoints.isIntact(marks) else {
            return
        }
        let form = PeakRecords.current
        let mark = lastMark(before: low, in: marks)
        var time = Int(checkpoints[marks.lowerBound + mark])
        var next = own.lowerBound + mark * Self.checkpointRecords
        while next < own.upperBound {
            let end = min(next + Self.checkpointRecords, own.upperBound)
            guard records.isIntact(next..<end) else { return }
            while next < end {
                let record = records[next]
                next += 1
                time += Int(form.step(record))
                guard time <= high, let exactTime = UInt32(exactly: time) else { return }
                guard time >= low, let peak = form.peak(record, time: exactTime) else { continue }
                scratch.append(peak)
            }
        }
    }

    func peaks(of reference: Int, into scratch: inout [Peak]) {
        peaks(of: reference, frames: 0...Int(UInt32.max), into: &scratch)
    }

    /// The last checkpoint before `time`, or the first.
    ///
    /// Not one at `time`: a peak at that time may be the record before the checkpoint.
    private func lastMark(before time: Int, in marks: Range<Int>) -> Int {
        let next = marks.partitioningIndex { Int(checkpoints[$0]) >= time }
        return max(next - 1, marks.lowerBound) - marks.lowerBound
    }
}
