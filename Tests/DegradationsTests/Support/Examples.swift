import Degradations

/// Degradations of every kind that needs no file.
enum Examples {
    static let all: [AnyDegradation] =
        NoiseColour.allCases.map { AnyDegradation(Noise(colour: $0, snrDecibels: 3, seed: 4)) }
        + Layout.Channels.allCases.map { AnyDegradation(Layout(channels: $0)) }
        + single.map { AnyDegradation($0) }

    private static let single: [any Degradation] = [
        Identity(),
        Babble(voices: 3, snrDecibels: -2.5, seed: 9_007_199_254_740_991),
        Babble(voices: 2, snrDecibels: 3, source: .wideSpeech, seed: 7),
        Crowd(voices: 5, snrDecibels: -3, seed: 8),
        Ambience(snrDecibels: 0, seed: 1),
        MusicNoise(snrDecibels: 12, seed: 2),
        Speed(percent: 3.7),
        Speed(numerator: 44_100, denominator: 48_000),
        Pitch(percent: -2.5),
        Tempo(percent: 4),
        Drift(fromPercent: -1, toPercent: 2.25),
        Wow(depthPercent: 0.5, rateHertz: 3, phaseTurns: 0.2),
        Resample(sampleRateHertz: 11_025),
        Format(encoding: "mp3-64k"),
        Format(encoding: "wav-ulaw", exactRate: true),
        Silence(leadingSeconds: 0.25, trailingSeconds: 0.1),
        Truncate(keepSeconds: 0.5),
        Gain(decibels: -6),
        Clipping(overdriveDecibels: 10),
        Band(.phone),
        Band(lowHertz: 500, order: 6),
        Shelf(side: .low, frequencyHertz: 400, gainDecibels: -9),
        Room(rt60Seconds: 0.4, seed: 5),
        Echo(delaySeconds: 0.2, gainDecibels: -6, repeats: 2),
        Compression(thresholdDecibels: -30, ratio: 4),
        AutomaticGain(targetDecibels: -30, attackSeconds: 0.02, releaseSeconds: 0.2),
        StartUp(silentSeconds: 0.02, fadeSeconds: 0.05, thumpDecibels: 15),
        Dropout(ratePerSecond: 4, durationSeconds: 0.05, seed: 6),
        DCOffset(amount: 0.05),
        Equalizer(frequencyHertz: 1000, gainDecibels: 9, quality: 2),
        Multiband(driveDecibels: 9),
        Loudness(targetLUFS: -9),
        FMTransmission(driveDecibels: 6, hissDecibels: -40, seed: 3),
        VoiceOver(snrDecibels: 0, seed: 9),
        Crossfade(fadeSeconds: 0.5, seed: 10),
        PacketLoss(lossPercent: 20, burstPackets: 2, seed: 11),
        PacketLoss(lossPercent: 20, concealment: .repeat, seed: 12),
        NoiseSuppression(suppressionDecibels: 20),
        Noise(
            colour: .pink, snrDecibels: 3, swingDecibels: 10, swingSeconds: 1.5, channels: .independent,
            seed: 4),
    ]
}
