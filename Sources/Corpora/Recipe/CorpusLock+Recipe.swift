extension CorpusLock {
    /// What the recipe says that this lock does not, or the other way round; nil when they agree.
    package func difference(from recipe: CorpusRecipe) -> String? {
        if minimumSeconds != recipe.minimumSeconds {
            return "minimumSeconds is \(recipe.minimumSeconds), locked with \(minimumSeconds)"
        }
        switch recipe.source {
        case .synthetic(let synthetic): return difference(from: SyntheticCorpus(synthetic))
        case .folder: return nil
        case .packages(let packages): return difference(from: packages, of: recipe)
        }
    }

    private func difference(from synthetic: SyntheticCorpus) -> String? {
        let locked = files.map { [$0.id, $0.path, "\($0.frameCount)"] }
        let wanted = synthetic.pieces.map { [$0.id, $0.path, "\($0.music.frameCount)"] }
        return locked == wanted ? nil : "number, length or seed of the tracks"
    }

    private func difference(from packages: [CorpusRecipe.Package], of recipe: CorpusRecipe) -> String? {
        let odd = Set(packages.map(\.name)).symmetricDifference(versions.keys)
        if !odd.isEmpty { return "packages \(odd.sorted().joined(separator: ", "))" }
        for package in packages {
            let paths = files.filter { $0.package == package.name }.map(\.path)
            for set in package.files where !paths.contains(where: set.glob.matches) {
                return "the pattern \(set.glob) fits nothing that is locked"
            }
        }
        for file in files {
            guard let set = recipe.fileSet(package: file.package, path: file.path) else {
                return "no pattern fits \(file.package)/\(file.path)"
            }
            if set.role != file.role { return "the role of \(file.id)" }
            if recipe.identifier(package: file.package, path: file.path) != file.id {
                return "the id of \(file.id)"
            }
        }
        return nil
    }
}
