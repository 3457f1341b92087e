import TestSupport
import Testing

struct VirtualMicrophoneTests {
    @Test(.enabled(if: VirtualMicrophone.isRequired))
    func theMicrophoneIsAvailableWhereRequired() {
        #expect(VirtualMicrophone.isAvailable)
    }
}
