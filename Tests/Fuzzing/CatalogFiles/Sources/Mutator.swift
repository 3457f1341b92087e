/// Changes a section of a file and makes the frame valid again, so that readers reach the change.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ mostSize: Int, _ seed: UInt32) -> Int {
    var choice = seed
    func draw(_ count: Int) -> Int {
        choice = choice &* 1_664_525 &+ 1_013_904_223
        return Int(choice >> 8) % count
    }
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard var kind = input.first, var file = FramedFile(Array(input.dropFirst())), draw(200) > 0 else {
        return put(Seeds.inputs[draw(Seeds.inputs.count)], to: data, mostSize)
    }
    // Queries take long, so one input in eight is matched.
    kind = kind & 1 | (draw(8) == 0 ? 2 : 0)
    if draw(16) == 0 {
        // A change anywhere, also in the header, with valid checksums.
        let mutated = mutated(Array(input.dropFirst()), mostSize - 1)
        guard mutated.count >= 64 else { return put([kind] + mutated, to: data, mostSize) }
        var sealed = mutated
        SealedFile.seal(&sealed)
        return put([kind] + sealed, to: data, mostSize)
    }
    let section = draw(file.sections.count)
    if draw(3) > 0, file.sections[section].count >= 8 {
        // Mostly one number changes and the length stays.
        let width = [1, 4, 8][draw(3)]
        let place = draw(file.sections[section].count / width) * width
        let number = Array(file.sections[section][place..<(place + width)])
        let changed = mutated(number, width)
        for (byte, value) in changed.enumerated() { file.sections[section][place + byte] = value }
    } else {
        file.sections[section] = mutated(
            file.sections[section], file.sections[section].count + max(0, mostSize - size - 64))
    }
    return put([kind] + file.encoded(), to: data, mostSize)
}

/// Bytes changed by libFuzzer.
private func mutated(_ bytes: [UInt8], _ mostSize: Int) -> [UInt8] {
    let room = max(mostSize, bytes.count, 1)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        _ = buffer.initialize(from: bytes)
        guard let base = buffer.baseAddress else { return }
        (base + bytes.count).initialize(repeating: 0, count: room - bytes.count)
        count = min(fuzzerMutate(base, bytes.count, room), room)
    }
}

private func put(_ bytes: [UInt8], to data: UnsafeMutablePointer<UInt8>, _ mostSize: Int) -> Int {
    let count = min(bytes.count, mostSize)
    for place in 0..<count { data[place] = bytes[place] }
    return count
}

@_silgen_name("LLVMFuzzerMutate")
private func fuzzerMutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ mostSize: Int) -> Int
