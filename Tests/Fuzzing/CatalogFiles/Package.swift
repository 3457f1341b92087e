// swift-tools-version: 6.1
import PackageDescription

// A package of its own: libFuzzer brings the main function, which an ordinary build has no use for.
let package = Package(
    name: "CatalogFiles",
    dependencies: [.package(name: "earshot", path: "../../..")],
    targets: [
        .executableTarget(
            name: "CatalogFiles",
            dependencies: [.product(name: "Fingerprinting", package: "earshot")],
            path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
