// The C library's functions of numbers, whatever the platform calls it.
#if canImport(Darwin)
    @_exported import Darwin
#elseif canImport(Android)
    @_exported import Android
#elseif canImport(WASILibc)
    @_exported import WASILibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Glibc
#endif
