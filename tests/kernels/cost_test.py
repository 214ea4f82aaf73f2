"""The comparison of verifier costs finds what grew, and only that."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cost  # noqa: E402


class Cost(unittest.TestCase):
    def setUp(self):
        self.table = tempfile.NamedTemporaryFile("w", suffix=".txt")
        self.addCleanup(self.table.close)
        self.addCleanup(setattr, cost, "TABLE", cost.TABLE)
        cost.TABLE = self.table.name
        cost.write_table({("6.1", "a.one"): 1000, ("6.1", "a.two"): None, ("6.12", "a.one"): 500})

    def test_allows_what_the_table_says_and_a_tenth_more(self):
        self.assertEqual(cost.compare("6.1.0-50-amd64", "a.one 1100\na.two refused: no\n"), [])

    def test_finds_what_costs_more(self):
        wrong = cost.compare("6.1.0-50-amd64", "a.one 1101\n")
        self.assertEqual(len(wrong), 1)
        self.assertIn("a.one costs the verifier of 6.1.0-50-amd64 1101 instructions, 1000 in the table", wrong[0])

    def test_finds_what_is_refused_now(self):
        self.assertEqual(cost.compare("6.12.3", "a.one refused: too much\n"), ["a.one is refused by 6.12.3: too much"])

    def test_finds_a_program_without_a_row(self):
        self.assertIn("is not in", cost.compare("6.1.0", "a.one 1\na.three 5\n")[0])

    def test_finds_an_empty_answer(self):
        self.assertEqual(len(cost.compare("6.1.0", "")), 1)

    def test_knows_nothing_of_another_kernel(self):
        self.assertIsNone(cost.compare("7.2.1", "a.one 5\n"))

    def test_reads_what_it_writes_in_the_order_of_series(self):
        costs = {("6.12", "a.one"): 1, ("6.1", "b.x"): None, ("6.1", "a.one"): 2}
        cost.write_table(costs)
        self.assertEqual(cost.read_table(), costs)
        with open(cost.TABLE, encoding="utf-8") as file:
            rows = [line.split()[0] for line in file if not line.startswith("#")]
        self.assertEqual(rows, ["6.1", "6.1", "6.12"])


if __name__ == "__main__":
    unittest.main()
