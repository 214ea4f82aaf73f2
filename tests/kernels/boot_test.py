"""A guest that loops at code that the emulator has not seen patched is told from one that hangs by itself."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import boot  # noqa: E402

NOP, SHORT, JUMP, CALL = [0x0f, 0x1f, 0x44, 0x00, 0x00], [0x66, 0x90, 0xe9, 0xea, 0xfe], [0xe9, 0x10, 0x02, 0x00, 0x00], [0xe8, 0x10, 0x02, 0x00, 0x00]
HANDLER, SITE, OFF, ON = 0xffffffff87800ba3, 0xffffffff8764718c, 0x82, 0x282


def monitor(samples, code):
    """Answers as QEMU's: `samples` of (RIP, RFL) of each processor, one after the other, and the code at any place."""
    samples = iter(samples)

    def ask(question):
        if question.startswith("x "):
            return f"{SITE:x}: " + " ".join(f"0x{byte:02x}" for byte in code) + "\r\n(qemu) "
        return "".join(f"CPU#{n}\r\nRIP={rip:016x} RFL={flags:08x} [--S----] CPL=0 II=0\r\n" for n, (rip, flags) in enumerate(next(samples)))
    return ask


class Stale(unittest.TestCase):
    def test_a_processor_that_stays_at_a_nop_or_a_jump_is_the_emulators(self):
        for code in (NOP, SHORT, JUMP):
            samples = [[(HANDLER, OFF), (SITE, OFF)], [(SITE, OFF), (HANDLER, OFF)], [(SITE, OFF), (SITE, OFF)]] + [[(HANDLER, OFF)] * 2] * 2
            self.assertTrue(boot.stays_at_patched_code(monitor(samples, code)))

    def test_others_are_not(self):
        self.assertFalse(boot.stays_at_patched_code(monitor([[(SITE, OFF), (SITE, OFF)]] * 5, CALL)), "a loop with a call")
        self.assertFalse(boot.stays_at_patched_code(monitor([[(SITE, ON), (SITE, ON)]] * 5, NOP)), "interrupts are on")
        moving = [[(SITE + 5 * n, OFF), (HANDLER + 3 * n, OFF)] for n in range(5)]
        self.assertFalse(boot.stays_at_patched_code(monitor(moving, NOP)), "it goes on")


if __name__ == "__main__":
    unittest.main()
