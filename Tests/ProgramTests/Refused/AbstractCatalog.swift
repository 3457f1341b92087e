import ShazamKit

let catalog = SHCatalog()
