// Signatures are made of its audio buffers.
@_exported import AudioCore
