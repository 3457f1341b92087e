import Degradations
import Foundation
import Testing

@Test("Every type of value round-trips through JSON")
func plainValueRoundTrip() throws {
    let value: PlainValue = [
        "none": .null, "flag": true, "whole": -7, "number": 0.1, "text": "pink", "list": [1, 2.5, "x"],
        "nested": ["from": 0, "to": 1.5],
    ]
    let back = try JSONDecoder().decode(PlainValue.self, from: JSONEncoder().encode(value))
    #expect(back == value)
    #expect(back.hashValue == value.hashValue)
}

@Test("An integer equals only the same number")
func plainValueEquality() {
    #expect(PlainValue.integer(4) == .number(4))
    #expect(PlainValue.integer(4).hashValue == PlainValue.number(4).hashValue)
    #expect(PlainValue.integer(4) != .number(4.5))
    #expect(PlainValue.integer(1) != .bool(true))
    #expect(PlainValue.string("4") != .integer(4))
    #expect(PlainValue.number(4).asInteger == 4)
    #expect(PlainValue.number(4.5).asInteger == nil)
}
