// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "earshot",
    products: [
        .executable(name: "earshot", targets: ["earshot"]),
        .library(name: "Fingerprinting", targets: ["Fingerprinting"]),
        .library(name: "EarshotKit", targets: ["EarshotKit"]),
        .library(name: "ShazamKit", targets: ["ShazamKit", "AVFAudio", "AVFoundation"]),
        .library(name: "Evaluation", targets: ["Evaluation", "Reporting", "MatcherAdapters"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "3.12.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    ],
    targets: [
        // MARK: - Command line
        .executableTarget(
            name: "earshot",
            dependencies: [
                "Reporting", "MatcherAdapters", "Tuning", "EarshotKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // MARK: - The judge
        .target(
            name: "Reporting",
            dependencies: [
                "AudioIO", "Evaluation", "Metrics", "Tuning",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Templates")]),
        .target(
            name: "MatcherAdapters",
            dependencies: ["AudioIO", "Degradations", "Evaluation", "Fingerprinting", "Metrics"]),
        .target(name: "Tuning", dependencies: ["AudioIO", "Degradations", "Evaluation", "Metrics"]),
        .target(
            name: "Evaluation",
            dependencies: [
                "Degradations", "Metrics", "Yams",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
        .target(name: "Degradations", dependencies: ["AudioIO", "SignalProcessing"]),
        .target(name: "Metrics"),

        // MARK: - The judged
        .target(name: "ShazamKit", dependencies: ["EarshotKit"], path: "Sources/Shims/ShazamKit"),
        .target(name: "AVFAudio", dependencies: ["EarshotKit"], path: "Sources/Shims/AVFAudio"),
        .target(name: "AVFoundation", dependencies: ["EarshotKit"], path: "Sources/Shims/AVFoundation"),
        .target(
            name: "EarshotKit",
            dependencies: [
                "AudioIO", "Fingerprinting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .target(name: "Fingerprinting", dependencies: ["AudioIO", "SignalProcessing"]),

        // MARK: - Examples
        .target(name: "Lessons", dependencies: ["EarshotKit"], path: "Sources/Examples/Lessons"),
        .executableTarget(
            name: "FoodMath",
            dependencies: [
                "EarshotKit", "Lessons", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/FoodMath"),
        .executableTarget(
            name: "TVShow",
            dependencies: [
                "EarshotKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/TVShow"),
        .executableTarget(
            name: "DanceFinder",
            dependencies: [
                "EarshotKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/DanceFinder"),
        .executableTarget(
            name: "RadioMonitor",
            dependencies: [
                "EarshotKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/RadioMonitor"),

        // MARK: - Audio
        .target(name: "AudioIO", dependencies: ["AudioCore", "CPulse", "CSndfile", "CSampleRate"]),
        .target(name: "SignalProcessing", dependencies: ["AudioCore", "CFFTW", "CRubberBand"]),
        .target(name: "AudioCore"),

        // MARK: - System libraries
        .systemLibrary(name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(
            name: "CRubberBand", pkgConfig: "rubberband", providers: [.apt(["librubberband-dev"])]),
        .systemLibrary(
            name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),

        // MARK: - Tests
        .target(name: "TestSupport", dependencies: ["AudioIO"], path: "Tests/TestSupport"),
        .target(
            name: "KitTestSupport", dependencies: ["AudioCore", "AudioIO", "EarshotKit", "TestSupport"],
            path: "Tests/KitTestSupport"),
        .executableTarget(
            name: "MutatedAudio",
            dependencies: [
                "AudioIO", "TestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Fuzzing/MutatedAudio"),
        .target(name: "CReference", dependencies: ["CFFTW"], path: "Tests/Benchmarks/CReference"),
        .executableTarget(
            name: "FrontEndBenchmark",
            dependencies: [
                "CReference", "Fingerprinting", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/FrontEnd"),
        .executableTarget(
            name: "CatalogScale",
            dependencies: [
                "Fingerprinting", "MatcherAdapters",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/CatalogScale"),
        .executableTarget(
            name: "FixedWork", dependencies: ["Fingerprinting", "TestSupport"],
            path: "Tests/Benchmarks/FixedWork"),
        .executableTarget(
            name: "SignatureDifference", dependencies: ["Fingerprinting"], path: "Tests/Processors"),
        .target(
            name: "LessonTiming",
            dependencies: ["AudioCore", "Degradations", "EarshotKit", "KitTestSupport", "Lessons"],
            path: "Tests/LessonTiming"),
        .executableTarget(
            name: "LessonBenchmark",
            dependencies: [
                "AudioIO", "Degradations", "EarshotKit", "Evaluation", "LessonTiming", "Metrics",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/Lessons"),
        .testTarget(name: "AudioCoreTests", dependencies: ["AudioCore"]),
        .testTarget(name: "AudioIOTests", dependencies: ["AudioIO", "SignalProcessing", "TestSupport"]),
        .testTarget(name: "SignalProcessingTests", dependencies: ["SignalProcessing", "TestSupport"]),
        .testTarget(name: "DegradationsTests", dependencies: ["Degradations", "TestSupport"]),
        .testTarget(
            name: "FingerprintingTests", dependencies: ["Fingerprinting", "SignalProcessing", "TestSupport"]),
        .testTarget(
            name: "MetricsTests", dependencies: ["AudioCore", "Metrics"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "EvaluationTests",
            dependencies: [
                "Evaluation", "MatcherAdapters", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "MatcherAdaptersTests",
            dependencies: [
                "AudioCore", "Evaluation", "Fingerprinting", "MatcherAdapters", "TestSupport",
            ]),
        .testTarget(
            name: "ReportingTests", dependencies: ["AudioCore", "Evaluation", "Metrics", "Reporting"]),
        .testTarget(
            name: "TuningTests",
            dependencies: ["AudioCore", "Evaluation", "Metrics", "TestSupport", "Tuning"]),
        .testTarget(
            name: "EarshotKitTests",
            dependencies: [
                "AudioCore", "AudioIO", "Degradations", "EarshotKit", "Fingerprinting", "KitTestSupport",
                "TestSupport",
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "AVFAudio", "AVFoundation", "AudioCore", "AudioIO", "EarshotKit", "Fingerprinting",
                "KitTestSupport",
                "ShazamKit", "TestSupport",
            ],
            exclude: ["Refused"]),
        .testTarget(
            name: "SwiftFiveTests",
            dependencies: ["AVFAudio", "EarshotKit", "KitTestSupport", "ShazamKit", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "AudioCore", "AudioIO", "DanceFinder", "Degradations", "EarshotKit", "FoodMath",
                "KitTestSupport", "LessonTiming", "Lessons", "Metrics", "RadioMonitor", "TVShow",
                "TestSupport",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "earshot", "MutatedAudio", "AudioIO", "EarshotKit", "Evaluation", "Fingerprinting",
                "TestSupport",
            ],
            exclude: ["Snapshots"]),
    ],
    swiftLanguageModes: [.v6]
)
