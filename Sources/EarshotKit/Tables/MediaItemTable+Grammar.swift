extension MediaItemTable {
    /// The form of tables, for people.
    public static let grammar = """
        A table of media items is UTF-8 text of comma-separated values: a header, then one row for each item. Cells \
        that hold commas, quotes or line ends stand in double quotes, quotes in them doubled. An empty cell says nothing.

        The header names properties by their Swift names:
          title, subtitle, artist, shazamID, appleMusicID, ISRC    text
          webURL, appleMusicURL, artworkURL, videoURL              addresses
          genres                Rock; Pop
          explicitContent       true or false
          creationDate          2022-06-09 or 2022-06-09T10:00:00Z
          timeRanges            14..<31; 1:00..<1:30.5   seconds, m:s or h:m:s
          frequencySkewRanges   0.03..<0.04; -2%..<-1%   fractions or percent
        Ranges are without their ends.

        Any other name is a property of your own. NAME:TYPE declares what its cells hold: text, integer, number, float, \
        bool, date, url, data (base 64) or json. Without a type a cell is a whole number, a decimal number, true, false \
        or JSON ({…} or […]) if it looks like one, else text.
        """
}
