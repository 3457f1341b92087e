// ShazamKit programs use Foundation and the macros of Observation without importing them.
@_exported import Foundation
@_exported import Observation
