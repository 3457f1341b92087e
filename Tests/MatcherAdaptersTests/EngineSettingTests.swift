import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Testing

/// The settings of our engine that may be chosen, as the judge sees them.
@Suite struct EngineSettingTests {
    private static let tunables = Contestants.earshot.tunables

    /// The settings that a contestant with these choices states.
    private func stated(_ chosen: [String: Double]) throws -> [String: String] {
        try Contestants.earshot.choosing(chosen).make().settings
    }

    /// Whether two numbers are the same in single precision, in which some settings are kept.
    private func isNear(_ one: Double, _ other: Double) -> Bool { Float(one) == Float(other) }

    @Test("Every setting that can be chosen is stated, and its standard is what the engine recommends")
    func standardsAreTheEngines() throws {
        let standard = try stated([:])
        for tunable in Self.tunables {
            let stated = try #require(standard[tunable.name].flatMap(Double.init))
            #expect(isNear(stated, tunable.standard), "\(tunable.name)")
            #expect((tunable.lowest...tunable.highest).contains(tunable.standard), "\(tunable.name)")
            #expect(!tunable.summary.isEmpty && (tunable.scale == .linear || tunable.lowest > 0))
        }
        #expect(Set(Self.tunables.map(\.name)).count == Self.tunables.count && Self.tunables.count > 10)
    }

    @Test("A choice changes the setting of that name and no other")
    func choicesChangeOneSetting() throws {
        let standard = try stated([:])
        for tunable in Self.tunables {
            for value in [tunable.lowest, tunable.highest] where !isNear(value, tunable.standard) {
                let chosen = try stated([tunable.name: value])
                let differing = standard.keys.filter { chosen[$0] != standard[$0] }
                #expect(differing == [tunable.name])
                let number = try #require(chosen[tunable.name].flatMap(Double.init))
                #expect(isNear(number, value), "\(tunable.name)")
            }
        }
    }

    @Test("A value beyond the range, or no whole number, is refused with the range")
    func valuesAreChecked() throws {
        for tunable in Self.tunables {
            var wrong = [tunable.lowest - 1e-6, tunable.highest + 1e-6, .nan, .infinity]
            if tunable.isWhole { wrong.append(tunable.lowest + 0.5) }
            for value in wrong {
                let error = try #require(throws: SettingError.self) {
                    try Contestants.earshot.choosing([tunable.name: value])
                }
                #expect(
                    error.description.contains(tunable.name)
                        && error.description.contains("\(tunable.highest)"))
            }
        }
        let error = try #require(throws: SettingError.self) { try Contestants.earshot.choosing(["x": 1]) }
        #expect(error.description.contains("setting x"))
    }

    @Test("Contestants are found by their names, which are unique")
    func contestantsAreNamed() throws {
        #expect(Set(Contestants.all.map(\.name)).count == Contestants.all.count)
        for contestant in Contestants.all {
            #expect(Contestants.named(contestant.name)?.summary == contestant.summary)
            #expect(try contestant.make().name == contestant.name)
        }
        #expect(Contestants.named("Earshot") == nil && Contestants.named("") == nil)
    }
}
