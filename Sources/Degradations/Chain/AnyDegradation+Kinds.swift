extension AnyDegradation {
    /// All degradations; add a new one here.
    ///
    /// A test adds its own for the length of a closure.
    @TaskLocal package static var kinds: [any Degradation.Type] = [
        Identity.self,
        // Noise
        Noise.self, Babble.self, Crowd.self, VoiceOver.self, Ambience.self, MusicNoise.self, Crossfade.self,
        // Skew
        Speed.self, Pitch.self, Tempo.self, Drift.self, Wow.self,
        // Format
        Resample.self, Format.self, Layout.self,
        // Length
        Silence.self, Truncate.self,
        // Channel
        Gain.self, Clipping.self, Band.self, Shelf.self, Equalizer.self, Room.self, ImpulseResponse.self,
        Echo.self,
        Compression.self, Multiband.self, Loudness.self, FMTransmission.self, AutomaticGain.self,
        Dropout.self,
        PacketLoss.self, NoiseSuppression.self, StartUp.self, DCOffset.self,
        // Of the user's own
        ProgramDegradation.self,
    ]
}
