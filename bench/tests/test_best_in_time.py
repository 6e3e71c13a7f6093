"""The table of hurried searches."""

from bench.quality.best_in_time import page


def test_what_is_too_far_behind_is_marked():
    accuracy = {"60": 0.90, "10": 0.88, "60+2": 0.895, "tune": 0.89}
    found = {budget: {"accuracy": value} for budget, value in accuracy.items()}
    last = page({"budgets": ["60", "10", "60+2"], "sets": {"cr": found}}).splitlines()[-1]
    assert last.split() == ["cr", "0.9000", "0.8800", "0.8950", "0.8900", *MARKS.split()]


MARKS = "10: too far behind; 10: below tune"
