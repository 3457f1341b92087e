internal import CSndfile

/// The encodings that are in use for recordings and calls, with the rates and channels of their codecs.
///
/// The tests encode and decode at each rate of the lists. Headers of libsndfile's formats can express more.
extension AudioEncoding {
    static let wave: [AudioEncoding] = [
        wav("pcm32", SF_FORMAT_PCM_32, .integer(bits: 32)),
        wav("pcm24", SF_FORMAT_PCM_24, .integer(bits: 24)),
        wav("pcm16", SF_FORMAT_PCM_16, .integer(bits: 16)),
        wav("pcm-u8", SF_FORMAT_PCM_U8, .integer(bits: 8)), wav("float", SF_FORMAT_FLOAT, .float),
        wav("double", SF_FORMAT_DOUBLE, .float), wav("ulaw", SF_FORMAT_ULAW, .integer(bits: 16)),
        wav("alaw", SF_FORMAT_ALAW, .integer(bits: 16)),
        wav("ima-adpcm", SF_FORMAT_IMA_ADPCM, .integer(bits: 16), maxChannels: 2),
        wav("ms-adpcm", SF_FORMAT_MS_ADPCM, .integer(bits: 16), maxChannels: 2),
        AudioEncoding(
            "wav-gsm610", "wav", SF_FORMAT_WAV, SF_FORMAT_GSM610, .integer(bits: 16), rates: narrowband,
            maxChannels: 1),
        // The G.721 predictor overshoots, and libsndfile's decoder wraps around beyond full scale. With 2.5 dB of
        // headroom even clipped sines and noise do not wrap.
        AudioEncoding(
            "au-g721", "au", SF_FORMAT_AU, SF_FORMAT_G721_32, .integer(bits: 16), gain: 0.75,
            rates: narrowband, maxChannels: 1),
    ]

    static let lossless: [AudioEncoding] =
        [16, 24].map { bits in
            AudioEncoding(
                "flac-\(bits)", "flac", SF_FORMAT_FLAC, bits == 16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24,
                .integer(bits: bits), rates: .range(AudioFile.sampleRates.lowerBound...655_350),
                maxChannels: 8)
        }
        + [16, 24].map { bits in
            AudioEncoding(
                "caf-alac\(bits)", "caf", SF_FORMAT_CAF, bits == 16 ? SF_FORMAT_ALAC_16 : SF_FORMAT_ALAC_24,
                // libsndfile 1.2 damages pairs of 24-bit channels that do not compress, such as noise.
                .integer(bits: bits), rates: anyRate, maxChannels: bits == 16 ? 8 : 1)
        }

    static let vorbis: [AudioEncoding] = ["1.0", "0.6", "0.3", "0.1", "0.0"].map { quality in
        AudioEncoding(
            "ogg-vorbis-q\(quality)", "ogg", SF_FORMAT_OGG, SF_FORMAT_VORBIS, .float,
            .variable(Double(quality) ?? 0), rates: .range(AudioFile.sampleRates.lowerBound...200_000),
            maxChannels: 8)
    }

    static let opus: [AudioEncoding] = [128, 64, 32, 24, 16, 12, 8, 6].map { kilobits in
        AudioEncoding(
            "ogg-opus-\(kilobits)k", "opus", SF_FORMAT_OGG, SF_FORMAT_OPUS, .float, .opus(kilobits: kilobits),
            rates: .list([8000, 12_000, 16_000, 24_000, 48_000]),
            // libsndfile gives each channel at least 6 kbit/s.
            maxChannels: kilobits >= 12 ? 2 : 1)
    }

    static let mp3: [AudioEncoding] = [320, 192, 128, 64, 32, 16].map { kilobits in
        AudioEncoding(
            "mp3-\(kilobits)k", "mp3", SF_FORMAT_MPEG, SF_FORMAT_MPEG_LAYER_III, .float,
            .mp3(kilobits: kilobits),
            rates: .list(mp3Rates.filter { mp3Kilobits(sampleRate: $0).contains(kilobits) }), maxChannels: 2)
    }

    /// The codecs of mobile telephones and of wideband calls, by the names and bitrates of their standards.
    static let calls: [AudioEncoding] =
        [23_850, 12_650].map { call("amr-wb", "libvo_amrwbenc", "amr", bits: $0, sampleRate: 16_000) }
        + [12_200, 4750].map { call("amr-nb", "libopencore_amrnb", "amr", bits: $0, sampleRate: 8000) }
        + [call("g722", "g722", "g722", bits: 64_000, sampleRate: 16_000)]

    static let aac: [AudioEncoding] = [128, 64, 32].map { kilobits in
        AudioEncoding(
            "aac-\(kilobits)k",
            ForeignCodec("aac", format: "aac", muxer: "adts", bitsPerSecond: 1000 * kilobits),
            // More bits than a frame of 1024 samples may have at lower rates.
            rates: mp3Rates.filter { $0 >= 16_000 || kilobits == 32 }, maxChannels: 2)
    }

    /// What headphones and car radios get; 328 kbit/s is the usual choice of telephones.
    static let bluetooth: [AudioEncoding] = [328, 229, 128].map { kilobits in
        AudioEncoding(
            "sbc-\(kilobits)k", ForeignCodec("sbc", format: "sbc", bitsPerSecond: 1000 * kilobits),
            // Higher bitrates than the bit pool allows at lower rates.
            rates: [32_000, 44_100, 48_000], maxChannels: 2)
    }

    private static func call(
        _ name: String, _ encoder: String, _ format: String, bits: Int, sampleRate: Int
    ) -> AudioEncoding {
        let kilobits = bits % 1000 == 0 ? "\(bits / 1000)" : "\(Double(bits) / 1000)"
        return AudioEncoding(
            "\(name)-\(kilobits)k", ForeignCodec(encoder, format: format, bitsPerSecond: bits),
            rates: [sampleRate], maxChannels: 1)
    }

    /// The only rate of a codec of telephones.
    private static let narrowband = Rates.list([8000])

    private static let anyRate = Rates.range(AudioFile.sampleRates)

    private static let mp3Rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

    /// The bitrates of MPEG 1, 2 and 2.5 layer III (ISO/IEC 11172-3 and 13818-3), in kbit/s.
    static func mp3Kilobits(sampleRate: Int) -> ClosedRange<Int> {
        if sampleRate >= 32_000 { return 32...320 }
        return sampleRate >= 16_000 ? 8...160 : 8...64
    }

    private static func wav(_ name: String, _ codec: Int, _ samples: Samples, maxChannels: Int = 64)
        -> AudioEncoding
    {
        AudioEncoding(
            "wav-\(name)", "wav", SF_FORMAT_WAV, codec, samples, rates: anyRate, maxChannels: maxChannels)
    }
}
