import TestSupport
import Testing

@Suite(.tags(.timed)) struct VirtualMicrophoneTests {
    @Test(.enabled(if: VirtualMicrophone.isRequired))
    func theMicrophoneIsAvailableWhereRequired() {
        #expect(VirtualMicrophone.isAvailable)
    }
}
