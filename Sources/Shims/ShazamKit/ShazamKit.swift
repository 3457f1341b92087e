@_exported import EarshotKit
