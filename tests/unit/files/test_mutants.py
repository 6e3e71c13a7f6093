"""A short run of tests/mutants.py: hostile model files under every command and method."""

import mutants


def test_mutants_of_model_files_are_used_or_refused():
    assert mutants.run(seed=0, first=0, count=300) == {}
