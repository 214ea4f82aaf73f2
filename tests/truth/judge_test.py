"""The judge can say no: answers made by hand, and what they must be taken for."""
import sys
import unittest

import judge
import kinds
import run


def incident(summary, **more):
    return {"summary": summary, "root_cause": "", **more}


def budget(name, blame=(), classes=(), pid=7):
    return {"process": {"pid": pid}, "verdict": {"name": name}, "blame": list(blame), "classes": list(classes)}


NAMES = judge.Names({"line:gap": "50", "workers": r"\b(31|32)\b", "line:cpu": "27"})
GAP, LOADER, STEADY = kinds.ALL["python_gap"], kinds.ALL["loader_cpu"], kinds.ALL["steady"]


class Grades(unittest.TestCase):
    def test_a_fault_without_an_accusation_is_nothing(self):
        self.assertEqual(judge.grade(GAP, {"incidents": []}, NAMES)[0], judge.NOTHING)
        self.assertEqual(judge.grade(GAP, {"budgets": [budget("device-bound")]}, NAMES)[0], judge.NOTHING)

    def test_the_right_cause_first_is_right(self):
        said = {"budgets": [budget("host-bound", [{"path": [{"role": "main", "line": "train_host.py:50", "class": "host"}]}])]}
        self.assertEqual(judge.grade(GAP, said, NAMES)[0], judge.RIGHT)

    def test_a_family_without_the_line_is_partly_right(self):
        self.assertEqual(judge.grade(GAP, {"budgets": [budget("host-bound")]}, NAMES)[0], judge.PARTLY)

    def test_the_right_cause_behind_a_wrong_one_is_partly_right(self):
        said = {"incidents": [incident("copies are slow"), incident("host-bound at train_host.py:50")]}
        self.assertEqual(judge.grade(GAP, said, NAMES)[0], judge.PARTLY)

    def test_another_cause_is_wrong(self):
        self.assertEqual(judge.grade(GAP, {"incidents": [incident("a lock is held")]}, NAMES)[0], judge.WRONG)
        self.assertEqual(judge.grade(LOADER, {"budgets": [budget("copy-bound")]}, NAMES)[0], judge.WRONG)

    def test_a_worker_of_another_number_is_not_the_worker(self):
        said = {"budgets": [budget("input-bound", [{"path": [{"role": "pid 310", "line": "train_loader.py:27"}]}])]}
        self.assertEqual(judge.grade(LOADER, said, NAMES)[0], judge.PARTLY)
        said["budgets"][0]["blame"][0]["path"][0]["role"] = "pid 31"
        self.assertEqual(judge.grade(LOADER, said, NAMES)[0], judge.RIGHT)

    def test_a_loss_that_its_periods_cannot_hold_is_only_partly_right(self):
        quota = kinds.ALL["cpu_quota"]
        said = {"incidents": [incident("was throttled by its CPU limit: 2.69s lost in 9 periods")]}
        self.assertEqual(judge.grade(quota, said, NAMES)[0], judge.PARTLY)
        said = {"incidents": [incident("was throttled by its CPU limit: 2.69s lost in 38 periods")]}
        self.assertEqual(judge.grade(quota, said, NAMES)[0], judge.RIGHT)

    def test_what_a_run_did_not_note_matches_nothing(self):
        self.assertEqual(judge.grade(GAP, {"incidents": [incident("host-bound at train_host.py:50")]}, judge.Names())[0], judge.PARTLY)

    def test_a_healthy_program_may_not_be_accused(self):
        self.assertEqual(judge.grade(STEADY, {"budgets": [budget("device-bound")], "incidents": []}, NAMES)[0], judge.HEALTHY)
        for said in ({"incidents": [incident("lost 3ms (1% of the time)")]}, {"budgets": [budget("input-bound")]}):
            self.assertEqual(judge.grade(STEADY, said, NAMES)[0], judge.FALSE_ALARM)

    def test_each_pattern_is_one(self):
        for kind in kinds.ALL.values():
            for pattern in filter(None, (kind.cause, *kind.who, kind.never)):
                judge.re.compile(judge.fill(pattern, NAMES))


class Budgets(unittest.TestCase):
    CLOCK = {"pid": 7, "role": "main", "steps": [{"start": 100, "end": 200, "cpu": 30, "busy": {"input": 5, "sync": 1},
                                                 "parts": {"input": 45, "sync": 25, "submit": 10}}]}

    def error(self, **classes):
        told = judge.told_shares(budget("x", classes=[{"name": name, "ns": ns} for name, ns in classes.items()]))
        return judge.budget_error(judge.own_shares(self.CLOCK["steps"]), told)

    def test_own_shares_add_up(self):
        own = judge.own_shares(self.CLOCK["steps"])
        self.assertEqual(own, {"wait": 0.40, "cpu": 0.25, "device": 0.25, "submit": 0.10})

    def test_what_a_part_of_calls_spends_outside_them_is_the_programs(self):
        step = {**self.CLOCK["steps"][0], "inside": {"submit": 4, "sync": 24}}
        self.assertEqual(judge.own_shares([step]), {"wait": 0.40, "cpu": 0.32, "device": 0.24, "submit": 0.04})

    def test_an_equal_budget_has_no_error(self):
        self.assertAlmostEqual(self.error(pipe=40, host=25, device_wait=25, submit=10), 0)

    def test_waiting_for_a_cpu_may_be_in_any_part(self):
        self.assertAlmostEqual(self.error(pipe=36, host=21, device_wait=23, submit=10, cpu_wait=10), 0)

    def test_a_wrong_class_is_an_error_of_its_size(self):
        self.assertAlmostEqual(self.error(pipe=30, host=35, device_wait=25, submit=10), 0.10)

    def test_unknown_time_is_an_error(self):
        self.assertAlmostEqual(self.error(pipe=40, host=25, device_wait=5, submit=10, unknown=20), 0.20)


class Summary(unittest.TestCase):
    def test_one_wrong_answer_fails(self):
        results = [run.Result(GAP), run.Result(STEADY)]
        results[0].grade, results[1].grade = judge.RIGHT, judge.HEALTHY
        self.assertTrue(run.summary(results))
        for grade, error in ((judge.PARTLY, None), (judge.RIGHT, 0.031), (judge.BROKEN, None)):
            results[0].grade, results[0].error = grade, error
            self.assertFalse(run.summary(results))
        results[0].grade, results[0].error, results[1].grade = judge.RIGHT, 0.03, judge.FALSE_ALARM
        self.assertFalse(run.summary(results))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
