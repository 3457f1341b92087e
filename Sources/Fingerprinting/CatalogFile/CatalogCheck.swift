/// Checks that the parts of a catalog are those that an assembly of its references would make.
///
/// Every error names the byte that is wrong.
struct CatalogCheck {
    let contents: CatalogContents

    /// Checks the table of references and the timeline, which is enough to copy them to another file.
    ///
    /// - Throws: `FingerprintingError.malformedFile`.
    func checkRows() throws {
        let table = contents.table
        let rows = table.rows
        let width = ReferenceTable.width
        try rows.requireIntact(0..<rows.count)
        for column in ReferenceTable.Column.allCases {
            let limit = limit(column)
            try expect(rows[column.rawValue] == 0, rows, column.rawValue, "0")
            for place in 0..<table.count { _ = table.range(column, of: place, within: limit) }
            try contents.throwIfDamaged()
            let last = table.count * width + column.rawValue
            try expect(rows[last] == UInt64(limit), rows, last, "\(limit), the length")
        }
        for place in 0..<table.count {
            _ = table.recording(place)
            let records = table.range(.record, of: place, within: limit(.record)).count
            let marks = table.range(.checkpoint, of: place, within: limit(.checkpoint)).count
            let called = (records + PeakStore.checkpointRecords - 1) / PeakStore.checkpointRecords
            try expect(
                marks == called, rows, place * width + 6, "\(called) checkpoints for \(records) records")
            try expect(
                table.peakCount(place) <= records, rows, place * width + 2, "at most \(records) peaks")
        }
        try contents.throwIfDamaged()
        for number in 0..<3 {
            try expect(rows[table.count * width + number] == 0, rows, table.count * width + number, "0")
        }
        try checkStarts()
    }

    private func checkStarts() throws {
        for shard in contents.shards {
            let timeline = shard.timeline
            let starts = timeline.starts
            try starts.requireIntact(0..<starts.count)
            try expect(timeline.start(of: 0) == Timeline.margin, starts, 0, "\(Timeline.margin)")
            for place in 0..<shard.places.count {
                let least = timeline.start(of: place) + Timeline.span(length: 0)
                let next = timeline.start(of: place + 1)
                try expect(
                    next >= least && next % Timeline.cellFrames == 0, starts, place + 1,
                    "a multiple of \(Timeline.cellFrames) from \(least) on")
            }
        }
    }

    private func limit(_ column: ReferenceTable.Column) -> Int {
        switch column {
        case .id: contents.table.ids.count
        case .item: contents.table.items.count
        case .record: contents.peakStore.records.count
        case .checkpoint: contents.peakStore.checkpoints.count
        }
    }

    private func checkShards(_ limit: ShardLimit) throws {
        var layout = ShardLayout(limit)
        for shard in contents.shards {
            for place in shard.places {
                _ = layout.place(
                    span: shard.start(of: place + 1) - shard.start(of: place),
                    peaks: contents.table.peakCount(place))
                let begins = layout.firsts.last == place
                try expect(
                    begins == (place == shard.places.lowerBound), shard.timeline.starts,
                    place - shard.places.lowerBound,
                    "\(begins ? "a" : "no") shard to begin at reference \(place)")
            }
        }
    }

    /// Checks everything.
    ///
    /// - Parameters:
    ///   - settings: The settings that the catalog was made with.
    ///   - limit: What a shard holds at most.
    /// - Throws: `FingerprintingError.malformedFile`.
    func checkAll(_ settings: Settings, limit: ShardLimit) throws {
        try checkRows()
        try checkShards(limit)
        var ids: Set<String> = []
        var seconds = 0.0
        for shard in contents.shards {
            for place in shard.places {
                let id = try contents.table.id(place)
                let start = Int(contents.table.rows[place * ReferenceTable.width + 3])
                try expect(!id.isEmpty, contents.table.ids, start, "an identifier that is not empty")
                try expect(
                    ids.insert(id).inserted, contents.table.ids, start,
                    "an identifier of its own, found \"\(id)\" again")
                _ = try contents.table.mediaItem(place)
                try checkPeaks(of: place, in: shard, ranks: settings.analysis.referenceRank)
                seconds += contents.table.recording(place).durationSeconds
            }
        }
        guard seconds.bitPattern == contents.totalSeconds.bitPattern else {
            throw FingerprintingError(
                .malformedFile,
                "\(name): expected recordings of \(contents.totalSeconds) s as section INFO says, found \(seconds) s"
            )
        }
        for shard in contents.shards { try checkIndex(of: shard) }
    }

    /// Checks that records and checkpoints are those of the peaks.
    private func checkPeaks(of place: Int, in shard: Shard, ranks: Int) throws {
        let store = contents.peakStore
        let records = contents.table.range(.record, of: place, within: store.records.count)
        let marks = contents.table.range(.checkpoint, of: place, within: store.checkpoints.count)
        try store.records.requireIntact(records)
        try store.checkpoints.requireIntact(marks)
        let recording = contents.table.recording(place)
        var reader = ByteReader(
            store.records.bytes(records), origin: store.records.position(of: records.lowerBound),
            name: name, owner: store.records)
        let peaks = try PeakRecords.current.decode(
            &reader, count: records.count,
            longest: SignatureRecord.longestTime(
                frameCount: recording.frameCount, sampleRate: recording.sampleRate), ranks: ranks)
        let row = place * ReferenceTable.width
        try expect(
            contents.table.peakCount(place) == peaks.count, contents.table.rows, row + 2,
            "\(peaks.count) peaks, found \(contents.table.peakCount(place))")
        var number = 0
        try PeakRecords.current.encode(peaks) { _, timeBefore in
            defer { number += 1 }
            guard number % PeakStore.checkpointRecords == 0 else { return }
            let mark = marks.lowerBound + number / PeakStore.checkpointRecords
            try expect(
                store.checkpoints[mark] == timeBefore, store.checkpoints, mark,
                "a checkpoint at \(timeBefore), found \(store.checkpoints[mark])")
        }
        let length = peaks.last.map { Int($0.time) / FrequencyScale.timeSteps + 2 } ?? 0
        let next = shard.start(of: place) + Timeline.span(length: length)
        try expect(
            shard.start(of: place + 1) == next, shard.timeline.starts,
            place + 1 - shard.places.lowerBound,
            "a start at frame \(next), found \(shard.start(of: place + 1))")
    }

    /// Checks that the postings of each key are contiguous, in order of time and within the timeline.
    private func checkIndex(of shard: Shard) throws {
        let postings = shard.index.postings
        let end = shard.timeline.end
        let ends = shard.index.ends
        var cursor = RunCursor(shard.index)
        var lengths = [UInt32](repeating: 0, count: shard.index.keys.keyCount)
        try withUnsafeTemporaryAllocation(of: Int.self, capacity: ListEnds.keysPerGroup + 1) { runs in
            // A buffer that is not empty has an address.
            let runs = runs.baseAddress.unsafelyUnwrapped
            for group in 0..<ends.groupCount {
                try cursor.next(runs)
                try postings.requireIntact(runs[0]..<runs[ListEnds.keysPerGroup])
                for key in 0..<ListEnds.keysPerGroup where runs[key] < runs[key + 1] {
                    var last: UInt32 = 0
                    for place in runs[key]..<runs[key + 1] {
                        let time = postings[place] >> 3
                        try expect(
                            time >= last && Int(time) * Posting.frames < end, postings, place,
                            "postings in order of time, before frame \(end)")
                        last = time
                    }
                    let place = group * ListEnds.keysPerGroup + key
                    try expect(
                        place < lengths.count, ends.groups, 2 * group, "no postings beyond the last key")
                    lengths[place] = UInt32(runs[key + 1] - runs[key])
                }
            }
        }
        let expected = lengths.withUnsafeBufferPointer(ListEnds.init(lengths:))
        try expectEqual(ends.groups, expected.groups)
        try expectEqual(ends.code, expected.code)
    }

    private func expectEqual<Element: Equatable>(
        _ array: FrozenArray<Element>, _ expected: FrozenArray<Element>
    ) throws {
        for place in 0..<expected.count {
            try expect(
                array[place] == expected[place], array, place, "\(expected[place]), found \(array[place])")
        }
    }

    private var name: String { contents.file?.name ?? "catalog" }

    private func expect<Element>(
        _ isRight: Bool, _ array: FrozenArray<Element>, _ place: Int, _ expected: @autoclosure () -> String
    ) throws {
        if !isRight { throw array.error(at: place, expected: expected()) }
    }
}
