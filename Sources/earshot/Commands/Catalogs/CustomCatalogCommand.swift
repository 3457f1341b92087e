import ArgumentParser

struct CustomCatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "custom-catalog", abstract: "Make catalogs of your own recordings",
        subcommands: [
            Create.self, Update.self, Display.self, Remove.self, Export.self, Verify.self,
        ])
}

/// The catalog that a command reads.
struct CatalogInput: ParsableArguments {
    @Option(name: .shortAndLong, help: "The catalog file.")
    var input: String?

    @Argument(help: ArgumentHelp("The catalog file, without --input.", valueName: "catalog"))
    var positional: String?

    func validate() throws {
        guard (input == nil) != (positional == nil) else {
            throw ValidationError("Name the catalog once: --input CATALOG.")
        }
    }

    /// The path of the catalog file.
    var path: String { input ?? positional ?? "" }
}
