import Studies
import Testing

struct EpisodePassageTests {
    private func passage(_ first: Range<Double>, _ second: Range<Double>) -> EpisodeFindings.Passage {
        EpisodeFindings.Passage(
            first: 0, second: 1, firstSeconds: first, secondSeconds: second, timeSkew: 0, correlation: 0.9)
    }

    @Test func aRemainderThatIsTooShortIsNoPassage() {
        let long = passage(10..<40, 20..<50)
        let standing = [
            passage(40..<43, 50..<53),  // beside it
            passage(38..<43, 70..<75),  // the same sound of the first elsewhere in the second
            passage(38..<44, 48..<54),  // enough of it lies beside
        ]
        let remnants = [
            passage(38..<42.9, 48..<52.9), passage(12..<17, 22..<27), passage(7.1..<12, 17.2..<22.1),
        ]
        let short = passage(60..<62.9, 60..<62.9)
        for other in standing {
            #expect(EpisodeFindings.Passage.distinct([other, long], shortestSeconds: 3) == [other, long])
        }
        for other in remnants + [short] {
            #expect(EpisodeFindings.Passage.distinct([other, long], shortestSeconds: 3) == [long])
        }
        #expect(EpisodeFindings.Passage.distinct([long, long], shortestSeconds: 3) == [long, long])
    }
}
