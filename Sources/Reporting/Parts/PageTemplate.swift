import Mustache

/// The templates of a page, whose text is made safe by ``ReportHTML``.
struct PageTemplate {
    /// What each template is called, and its bytes; the first is the page, the others are its parts.
    ///
    /// Every page may put in `head`, the beginning of a page whose scripts and styles stand in it.
    let parts: [(name: String, bytes: [UInt8])]

    /// Fills the page with `content`.
    func render(_ content: Any) throws -> String {
        MustacheContentTypes.register(ReportHTML(), named: ReportHTML.name)
        var library = MustacheLibrary()
        for (name, bytes) in parts + [("head", PackageResources.head_mustache)] {
            try library.register(String(decoding: bytes, as: UTF8.self), named: name)
        }
        return library.render(content, withTemplate: parts[0].name) ?? ""
    }
}
