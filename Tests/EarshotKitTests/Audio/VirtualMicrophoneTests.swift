import TestSupport
import Testing

struct VirtualMicrophoneTests {
    @Test(.enabled(if: VirtualMicrophone.isRequired))
    func theMicrophoneIsThereWhereNoTestMayBeLeftOut() {
        #expect(VirtualMicrophone.isAvailable)
    }
}
