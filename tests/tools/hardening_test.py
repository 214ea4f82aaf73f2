"""What the compiler and the linker were asked to harden is in the program: read from the file itself.

  hardening_test.py PROGRAM optimised|unoptimised
"""
import re
import subprocess
import sys
import unittest

PROGRAM = None
IS_OPTIMISED = True


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, PROGRAM], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = readelf("--file-header")
        cls.segments = readelf("--segments")
        cls.dynamic = readelf("--dynamic")
        cls.symbols = readelf("--dyn-syms")

    def test_is_loaded_anywhere(self):
        self.assertRegex(self.header, r"Type:\s+DYN")
        self.assertRegex(self.dynamic, r"FLAGS_1.*\bPIE\b")

    def test_what_the_loader_writes_is_read_only_afterwards(self):
        self.assertIn("GNU_RELRO", self.segments)
        self.assertRegex(self.dynamic, r"FLAGS\b.*\bBIND_NOW\b")
        self.assertRegex(self.dynamic, r"FLAGS_1.*\bNOW\b")

    def test_nothing_is_both_written_and_executed(self):
        stack = re.search(r"GNU_STACK\s.*", self.segments).group(0)
        self.assertNotIn("E", stack.split("0x")[-2])
        for line in self.segments.splitlines():
            if line.lstrip().startswith("LOAD"):
                self.assertNotRegex(line, r"\bRWE\b")

    def test_the_stack_is_checked(self):
        self.assertIn("__stack_chk_fail", self.symbols)

    def test_the_c_library_is_called_with_sizes(self):
        if not IS_OPTIMISED:
            self.skipTest("_FORTIFY_SOURCE needs optimisation")
        checked = set(re.findall(r"\b(__\w+_chk)\b", self.symbols)) - {"__stack_chk_fail"}
        self.assertGreaterEqual(len(checked), 3, checked)

    def test_jumps_land_where_they_may(self):
        machine = re.search(r"Machine:\s+(.*)", self.header).group(1)
        landings = {b"\xf3\x0f\x1e\xfa"} if "X86-64" in machine else {  # endbr64
            b"\x3f\x23\x03\xd5", b"\x5f\x24\x03\xd5"}  # paciasp, bti c
        loads = [[int(number, 16) for number in line.split()[1:5]]
                 for line in self.segments.splitlines() if line.lstrip().startswith("LOAD")]
        starts = {}
        for line in readelf("--symbols").splitlines():
            fields = line.split()
            if len(fields) == 8 and fields[3] == "FUNC" and fields[6] != "UND":
                address = int(fields[1], 16)
                for offset, start, _, size in loads:
                    if start <= address < start + size:
                        starts[fields[7]] = address - start + offset
        with open(PROGRAM, "rb") as file:
            code = file.read()
        marked = {name for name, at in starts.items() if code[at:at + 4] in landings}
        self.assertIn("main", marked)
        self.assertGreater(len(marked), len(starts) / 4)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    IS_OPTIMISED = sys.argv.pop(1) == "optimised"
    unittest.main()
