// Programs for ShazamKit use Foundation's names without importing it.
@_exported import Foundation
