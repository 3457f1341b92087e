import ShazamKit

func title(_ item: SHMediaItem) -> String? {
    let title: String? = item[.title]
    return title
}
