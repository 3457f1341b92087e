// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later
import PackageDescription

// What computes little itself compiles in a quarter of the time without optimisation. What it calls is optimised.
let plain: [SwiftSetting] = [
    .unsafeFlags(["-Onone", "-gnone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
]

// Packages of others, each behind the trait that needs it. A program that depends on this package and leaves a trait out
// neither clones nor builds them.
let grdb = other("GRDB", "GRDB.swift", "Judge")
let openCombine = other("OpenCombine", "OpenCombine", "Kit")
let argumentParser = other("ArgumentParser", "swift-argument-parser", "Judge")
let mustache = other("Mustache", "swift-mustache", "Judge")
let yams = other("Yams", "Yams", "Judge")
let nio = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { other($0, "swift-nio", "Server") }
let logging = other("Logging", "swift-log", "Server")
// SwiftNIO leaves the versions of these open. They are named to fix them.
let underNIO = [
    other("Atomics", "swift-atomics", "Server"), other("DequeModule", "swift-collections", "Server"),
    other("SystemPackage", "swift-system", "Server"),
]

func other(_ product: String, _ package: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [trait]))
}

let package = Package(
    name: "earshot",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "earshot", targets: ["earshot"]),
        .library(name: "Fingerprinting", targets: ["Fingerprinting"]),
        .library(name: "EarshotKit", targets: ["EarshotKit"]),
        .library(name: "EarshotSignatures", targets: ["EarshotSignatures"]),
        .library(
            name: "ShazamKit",
            targets: ["ShazamKit", "AVFAudio", "AVFoundation", "Combine", "UniformTypeIdentifiers"]),
        // For programs that name no trait: the product above has Combine, which needs that of `Kit`.
        .library(
            name: "ShazamKitCore",
            targets: ["ShazamKit", "AVFAudio", "AVFoundation", "UniformTypeIdentifiers"]),
        .library(
            name: "Evaluation",
            targets: ["Matchers", "Corpora", "Evaluation", "Studies", "Reporting", "MatcherAdapters"]),
    ],
    traits: [
        // Each enables one other at most. SwiftPM gives the compiler those that one enables in an order that varies between its
        // runs, and then compiles everything again.
        .trait(name: "Online", description: "Catalogs on servers."),
        .trait(
            name: "Sound", description: "Microphones and loudspeakers, through PulseAudio.",
            enabledTraits: ["Online"]),
        .trait(
            name: "Kit", description: "The API of ShazamKit, with Combine.", enabledTraits: ["Sound"]),
        .trait(name: "Judge", description: "The judge, and all programs.", enabledTraits: ["Kit"]),
        .trait(name: "Server", description: "The catalog server in earshot.", enabledTraits: ["Judge"]),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // MARK: - Command line
        .executableTarget(
            name: "earshot",
            dependencies: [
                "AudioCore", "AudioIO", .target(name: "CatalogServer", condition: .when(traits: ["Server"])),
                "Corpora",
                "Degradations", "DurableSQLite", "EarshotKit", "Evaluation", "Fingerprinting",
                "MatcherAdapters", "Matchers",
                "Reporting", "Studies", "SystemIO", argumentParser, grdb,
            ], swiftSettings: plain),

        .target(
            name: "CatalogServer",
            dependencies: [
                "AudioCore", "AudioIO", "CMalloc", "CPages", "DurableSQLite", "EarshotKit", "Fingerprinting",
                "SystemIO", grdb, logging,
            ] + nio + underNIO),

        // MARK: - The judge
        .target(
            name: "Reporting",
            dependencies: [
                "AudioCore", "AudioIO", "CPages", "Corpora", "Degradations", "Evaluation", "Matchers",
                "Metrics", "Studies", "SystemIO", mustache,
            ], swiftSettings: plain),
        .target(
            name: "MatcherAdapters",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "Fingerprinting", "Matchers",
                "Metrics", "SystemIO",
            ], swiftSettings: plain),
        .target(
            name: "Studies",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "Matchers", "Metrics",
                "SignalProcessing", "SoundServer", "SystemIO",
            ], swiftSettings: plain),
        .target(
            name: "Evaluation",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "DurableSQLite", "Matchers", "Metrics",
                "SignalProcessing", "SystemIO", grdb,
            ], swiftSettings: plain),
        .target(
            name: "Corpora",
            dependencies: [
                "AudioCore", "AudioIO", "Degradations", "Matchers", "SignalProcessing", "SystemIO", yams,
            ]),
        .target(name: "Matchers", dependencies: ["AudioCore"]),
        .target(
            name: "Degradations",
            dependencies: ["AudioCore", "AudioIO", "SignalProcessing", "TimeStretch", "CSpeexDSP"]),
        .target(name: "Metrics"),

        // MARK: - The judged
        .target(
            name: "ShazamKit",
            dependencies: [.target(name: "Combine", condition: .when(traits: ["Kit"])), "EarshotKit"],
            path: "Sources/Shims/ShazamKit"),
        // GRDB would import this module if it were there before GRDB is compiled.
        .target(
            name: "Combine", dependencies: [openCombine, grdb], path: "Sources/Shims/Combine",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "UniformTypeIdentifiers", dependencies: ["EarshotKit"],
            path: "Sources/Shims/UniformTypeIdentifiers"),
        .target(name: "AVFAudio", dependencies: ["EarshotKit"], path: "Sources/Shims/AVFAudio"),
        .target(name: "AVFoundation", dependencies: ["EarshotKit"], path: "Sources/Shims/AVFoundation"),
        .target(
            name: "EarshotKit",
            dependencies: [
                "AudioCore", "AudioIO", "Fingerprinting", "SystemIO",
                .target(name: "SoundServer", condition: .when(traits: ["Sound"])),
            ]),
        .target(
            name: "Fingerprinting",
            dependencies: ["AudioCore", "AudioIO", "CKernels", "SignalProcessing", "Signatures", "SystemIO"]),
        // Signatures with a Fourier transform in Swift, where FFTW is missing.
        .target(name: "EarshotSignatures", dependencies: ["AudioCore", "Signatures"]),
        .target(name: "Signatures", dependencies: ["AudioCore", "CKernels"]),

        // MARK: - Examples
        .executableTarget(
            name: "FoodMath", dependencies: ["ShazamKit", "Tune", argumentParser],
            path: "Sources/Examples/FoodMath"),
        .executableTarget(
            name: "TVShow", dependencies: ["ShazamKit", "Tune", argumentParser],
            path: "Sources/Examples/TVShow"),
        .executableTarget(
            name: "DanceFinder", dependencies: ["ShazamKit", "Tune", argumentParser],
            path: "Sources/Examples/DanceFinder"),
        .executableTarget(
            name: "PartyLight", dependencies: ["ShazamKit", "Tune", argumentParser],
            path: "Sources/Examples/PartyLight"),
        .target(name: "Tune", dependencies: ["ShazamKit"], path: "Sources/Examples/Tune"),

        // MARK: - Audio
        .target(
            name: "AudioIO", dependencies: ["AudioCore", "SystemIO", "CSampleRate", "CSndfile", "CTagLib"]),
        .target(name: "SoundServer", dependencies: ["AudioCore", "AudioIO", "CPulse"]),
        .target(name: "TimeStretch", dependencies: ["AudioCore", "SignalProcessing", "CRubberBand"]),
        .target(name: "SignalProcessing", dependencies: ["AudioCore", "CFFTW"]),
        // The one place that opens databases.
        .target(name: "DurableSQLite", dependencies: [grdb]),
        .target(name: "SystemIO", dependencies: ["CConfinement", "CCrypto"]),
        .target(name: "AudioCore"),
        // The inner loops of the front end and of the search in C. Swift has no functions for processors with wider vectors.
        .target(name: "CKernels"),
        // TagLib, which has a C++ interface.
        .target(name: "CTagLib", linkerSettings: [.linkedLibrary("tag")]),
        // Processes with limits, which Swift cannot set between the start of a process and that of its program.
        .target(name: "CConfinement"),
        // Templates, scripts and styles of pages as text.
        .target(name: "CPages", exclude: ["Report", "Server"]),

        // MARK: - System libraries
        .systemLibrary(name: "CCrypto", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(
            name: "CRubberBand", pkgConfig: "rubberband", providers: [.apt(["librubberband-dev"])]),
        .systemLibrary(
            name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSpeexDSP", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"])]),

        // MARK: - Tests
        .target(
            name: "TestSupport", dependencies: ["AudioCore", "AudioIO", "SystemIO"], path: "Tests/TestSupport"
        ),
        .target(
            name: "KitTestSupport", dependencies: ["AudioCore", "AudioIO", "EarshotKit", "TestSupport"],
            path: "Tests/KitTestSupport"),
        .executableTarget(
            name: "MutatedAudio",
            dependencies: ["AudioCore", "AudioIO", "SystemIO", "TestSupport", argumentParser],
            path: "Tests/Fuzzing/MutatedAudio"),
        .executableTarget(name: "SessionProgram", dependencies: ["EarshotKit"], path: "Tests/SessionProgram"),
        .target(name: "CReference", dependencies: ["CFFTW"], path: "Tests/Benchmarks/CReference"),
        .executableTarget(
            name: "FrontEndBenchmark",
            dependencies: [
                "AudioCore", "AudioIO", "CReference", "Fingerprinting", "TestSupport", argumentParser,
            ], path: "Tests/Benchmarks/FrontEnd"),
        .executableTarget(
            name: "CatalogScale",
            dependencies: [
                "AudioCore", "AudioIO", "Evaluation", "Fingerprinting", "MatcherAdapters", "SystemIO",
                argumentParser,
            ], path: "Tests/Benchmarks/CatalogScale"),
        .executableTarget(
            name: "FixedWork", dependencies: ["AudioCore", "Fingerprinting", "TestSupport"],
            path: "Tests/Benchmarks/FixedWork"),
        .executableTarget(
            name: "SignatureDifference", dependencies: ["Fingerprinting"], path: "Tests/Processors"),
        .testTarget(name: "AudioCoreTests", dependencies: ["AudioCore"]),
        .testTarget(
            name: "AudioIOTests",
            dependencies: ["AudioCore", "AudioIO", "SignalProcessing", "SystemIO", "TestSupport"],
            swiftSettings: plain),
        .testTarget(
            name: "SignalProcessingTests", dependencies: ["AudioCore", "SignalProcessing", "TestSupport"],
            swiftSettings: plain),
        .testTarget(
            name: "TimeStretchTests",
            dependencies: ["AudioCore", "SignalProcessing", "TestSupport", "TimeStretch"]),
        .testTarget(
            name: "DegradationsTests",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "SignalProcessing",
                "TestSupport",
            ], exclude: ["Golden"], swiftSettings: plain),
        .testTarget(
            name: "FingerprintingTests",
            dependencies: [
                "AudioCore", "AudioIO", "CKernels", "Fingerprinting", "SignalProcessing", "SystemIO",
                "TestSupport",
            ], swiftSettings: plain),
        .testTarget(
            name: "EarshotSignaturesTests",
            dependencies: [
                "AudioCore", "EarshotSignatures", "Fingerprinting", "SignalProcessing", "Signatures",
                "TestSupport",
            ], swiftSettings: plain),
        .testTarget(
            name: "MetricsTests", dependencies: ["AudioCore", "Metrics"], resources: [.copy("Fixtures")]),
        .target(
            name: "EvaluationTestSupport",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Evaluation", "MatcherAdapters", "SystemIO",
                "TestSupport", grdb,
            ],
            path: "Tests/EvaluationTestSupport", swiftSettings: plain),
        .testTarget(
            name: "CorporaTests",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "EvaluationTestSupport",
                "MatcherAdapters", "Matchers", "SignalProcessing", "SystemIO", "TestSupport",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "EvaluationTests",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "EvaluationTestSupport",
                "MatcherAdapters", "Matchers", "Metrics", "SystemIO", "TestSupport", grdb,
            ], exclude: ["Golden"], swiftSettings: plain),
        .testTarget(
            name: "ReportingTests",
            dependencies: [
                "AudioCore", "Corpora", "Degradations", "Evaluation", "MatcherAdapters", "Matchers",
                "Metrics",
                "Reporting", "Studies", "TestSupport",
            ], swiftSettings: plain),
        .testTarget(
            name: "MatcherAdaptersTests",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "Fingerprinting",
                "MatcherAdapters", "Matchers", "TestSupport",
            ], exclude: ["Golden"], swiftSettings: plain),
        .testTarget(
            name: "StudiesTests",
            dependencies: [
                "AudioCore", "AudioIO", "Corpora", "Degradations", "Evaluation", "EvaluationTestSupport",
                "MatcherAdapters", "Matchers", "Metrics", "SignalProcessing", "Studies", "SystemIO",
                "TestSupport",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "EarshotKitTests",
            dependencies: [
                "AudioCore", "AudioIO", "EarshotKit", "Fingerprinting", "KitTestSupport", "SystemIO",
                "TestSupport",
            ], exclude: ["Golden"], swiftSettings: plain),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "AVFAudio", "AVFoundation", "AudioCore", "AudioIO", "Combine", "EarshotKit", "Fingerprinting",
                "KitTestSupport", "ShazamKit", "TestSupport", "UniformTypeIdentifiers",
            ], exclude: ["Refused"], swiftSettings: plain),
        .testTarget(
            name: "SwiftFiveTests",
            dependencies: ["AVFAudio", "EarshotKit", "KitTestSupport", "ShazamKit", "TestSupport"],
            swiftSettings: plain + [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "AudioCore", "AudioIO", "DanceFinder", "Degradations", "EarshotKit", "FoodMath",
                "KitTestSupport", "Metrics", "TVShow", "TestSupport",
            ], swiftSettings: plain),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "AudioCore", "AudioIO", "CatalogServer", "Corpora", "EarshotKit", "Evaluation",
                "Fingerprinting", "SessionProgram", "KitTestSupport", "MutatedAudio", "SystemIO",
                "TestSupport", grdb, yams, "earshot",
            ], exclude: ["Snapshots"], swiftSettings: plain),
    ],
    swiftLanguageModes: [.v6]
)

// `scripts/test.sh TARGET` names the test targets that it runs here, so that no other is compiled. What computes much is
// optimised in debug, too, because tests of audio are many times slower without.
if let named = Context.environment["EARSHOT_TEST_TARGETS"] {
    let names = named.split(separator: " ").map(String.init)
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
    let computing = [
        "AudioCore", "AudioIO", "Corpora", "Degradations", "Fingerprinting", "KitTestSupport", "Metrics",
        "MetricsTests",
        "SignalProcessing", "Signatures", "TestSupport", "TimeStretch",
    ]
    for target in package.targets where computing.contains(target.name) {
        target.swiftSettings = [.unsafeFlags(["-O"], .when(configuration: .debug))]
    }
}
