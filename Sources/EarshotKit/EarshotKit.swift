// ShazamKit programs use Foundation without importing it.
@_exported import Foundation
