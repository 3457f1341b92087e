import AudioCore
import Degradations
import Testing

/// The message of the error of `body`, which must have the code `invalidParameter`.
private func refusal(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "nothing was thrown"
    } catch let error as DegradationError {
        return error.code == .invalidParameter ? error.description : "wrong code: \(error)"
    } catch {
        return "wrong type: \(error)"
    }
}

@Test("A template without ranges draws its fixed values")
func fixedTemplate() throws {
    let template = try DegradationTemplate(
        name: "noise", parameters: ["colour": "pink", "snrDecibels": 0, "seed": 123])
    var generator = SeededGenerator(seed: 1)
    #expect(
        try template.draw(using: &generator)
            == AnyDegradation(Noise(colour: .pink, snrDecibels: 0, seed: 123)))
}

@Test("Draws from ranges are uniform and within the ends; seeds differ and fit into JSON")
func drawnTemplate() throws {
    let template = try DegradationTemplate(
        name: "babble", parameters: ["voices": ["from": 2, "to": 5], "snrDecibels": ["from": -3, "to": 9]])
    var generator = SeededGenerator(seed: 2)
    var again = SeededGenerator(seed: 2)
    var voices: [Int: Int] = [:]
    var seeds: Set<UInt64> = []
    var sum = 0.0
    for _ in 0..<4000 {
        let drawn = try template.draw(using: &generator)
        #expect(try template.draw(using: &again) == drawn)
        let babble = try #require(drawn.value as? Babble)
        #expect((-3...9).contains(babble.snrDecibels) && babble.seed < 1 << 53)
        voices[babble.voices, default: 0] += 1
        seeds.insert(babble.seed)
        sum += babble.snrDecibels
    }
    #expect(seeds.count == 4000)
    #expect(voices.keys.sorted() == [2, 3, 4, 5])
    #expect(voices.values.allSatisfy { (850...1150).contains($0) })
    #expect(abs(sum / 4000 - 3) < 0.3)
}

@Test("Missing parameters have their defaults; a missing phase is drawn")
func usualValues() throws {
    var generator = SeededGenerator(seed: 3)
    let silence = try DegradationTemplate(name: "silence", parameters: ["leadingSeconds": 1])
    #expect(try silence.draw(using: &generator) == AnyDegradation(Silence(leadingSeconds: 1)))
    let identity = try DegradationTemplate(name: "identity", parameters: .null)
    #expect(try identity.draw(using: &generator) == AnyDegradation(Identity()))
    let wow = try DegradationTemplate(name: "wow", parameters: ["depthPercent": 1, "rateHertz": 0.5])
    let phases = try (0..<8).map { _ in try #require(wow.draw(using: &generator).value as? Wow).phaseTurns }
    #expect(Set(phases).count == 8 && phases.allSatisfy { (0..<1).contains($0) })
}

@Test("Speed may be a percentage or a fraction, and a band a name or edges")
func alternatives() throws {
    var generator = SeededGenerator(seed: 4)
    func draw(_ name: String, _ parameters: PlainValue) throws -> AnyDegradation {
        try DegradationTemplate(name: name, parameters: parameters).draw(using: &generator)
    }
    let speed = AnyDegradation(Speed(numerator: 21, denominator: 20))
    #expect(try draw("speed", ["percent": 5]) == speed)
    #expect(try draw("speed", ["numerator": 1050, "denominator": 1000]) == speed)
    #expect(try draw("band", ["preset": "phone"]) == AnyDegradation(Band(lowHertz: 300, highHertz: 3400)))
    #expect(try draw("band", ["highHertz": 5000]) == AnyDegradation(Band(highHertz: 5000)))
    #expect(refusal { _ = try draw("speed", [:]) }.contains("percent, or both numerator and denominator"))
    #expect(refusal { _ = try draw("speed", ["percent": 1, "numerator": 2]) }.contains("percent, or both"))
    #expect(
        refusal { _ = try draw("speed", ["numerator": 9, "denominator": 1]) }.contains("9/1 is outside"))
    #expect(refusal { _ = try draw("band", [:]) }.contains("expected preset"))
    #expect(refusal { _ = try draw("band", ["lowHertz": 500, "highHertz": 400]) }.contains("not below"))
    #expect(refusal { _ = try draw("band", ["preset": "phone", "order": 3]) }.contains("not even"))
}

@Test(
    "What cannot be is refused in words that help",
    arguments: [
        ("hiss", [:], "no degradation is called \"hiss\"; there are identity, noise"),
        (
            "noise", ["snr": 3],
            "unknown parameter \"snr\"; allowed are colour, snrDecibels, belowHertz, swingDecibels, "
                + "swingSeconds, channels, seed"
        ),
        ("identity", ["x": 3], "unknown parameter \"x\"; it has none"),
        ("noise", 5, "found number 5; expected a mapping"),
        ("noise", [:], "snrDecibels is missing; expected a number -60.0…120.0 dB"),
        ("noise", ["snrDecibels": "loud"], "snrDecibels is text \"loud\"; expected a number"),
        ("noise", ["snrDecibels": 300], "snrDecibels is number 300; expected a number -60.0…120.0 dB"),
        ("noise", ["snrDecibels": ["from": 0]], "expected a number -60.0…120.0 dB, or {from: a, to: b}"),
        ("noise", ["snrDecibels": ["from": 0, "to": 300]], "snrDecibels is number 300"),
        ("noise", ["snrDecibels": ["from": 9, "to": 3]], "runs from number 9 down to number 3"),
        ("noise", ["snrDecibels": 1, "colour": "blue"], "expected one of white, pink, brown"),
        ("noise", ["snrDecibels": 1, "seed": -1], "seed is number -1; expected a whole number 0…"),
        ("babble", ["snrDecibels": 1, "voices": 2.5], "voices is number 2.5; expected a whole number 1…64"),
        ("format", ["encoding": "mp3-63k"], "no encoding is called \"mp3-63k\"; there are wav-"),
        ("format", ["encoding": "mp3-64k", "exactRate": "yes"], "expected true or false"),
        ("wow", ["depthPercent": 10, "rateHertz": 0.05], "expected at most 0.5 s"),
        ("wow", ["depthPercent": ["from": 1, "to": 10], "rateHertz": 0.05], "expected at most 0.5 s"),
    ] as [(String, PlainValue, String)])
func refusedTemplate(name: String, parameters: PlainValue, text: String) {
    let refusal = refusal { _ = try DegradationTemplate(name: name, parameters: parameters) }
    #expect(refusal.contains(text), "\(refusal)")
}
