import ShazamKit

func widen(_ catalog: SHCustomCatalog) {
    catalog.minimumQuerySignatureDuration = 0.5
}
