"""The page on scale: its recipe for Ray gives the bytes of one process."""

import re
from pathlib import Path

import pytest

import nabi

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8")


@pytest.fixture
def recipe():
    (found,) = re.findall(r"```python\n(from glob import glob\n.*?)```", PAGE, re.DOTALL)
    return found


@pytest.fixture
def ray(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # it would ask the network
    found = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    found.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield found
    found.shutdown()


@pytest.mark.filterwarnings("ignore")  # of Ray and what it imports
def test_the_recipe_for_ray_gives_the_bytes_of_one_process(tmp_path, recipe, ray):
    for i in range(9):
        rows = "".join(f"word{j} of {i * j % 7},{'ab'[j % 2]}\n" for j in range(20))
        (tmp_path / f"reviews-{i}.csv").write_text(f"text,label\n{rows}")
    found = {}
    exec(recipe.replace("/data/", f"{tmp_path}/"), found)
    one = nabi.train(tmp_path / "reviews-*.csv", calibrate=False)
    assert found["model"].to_bytes() == one.to_bytes()
