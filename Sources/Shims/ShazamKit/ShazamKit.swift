@_exported import EarshotKit

#if Kit
    @_exported import Combine
#endif
