"""The driver's peak memory, training on 20 million features by Spark with two worker processes.

    python -m bench.scale.spark_driver

Makes 64 CSV files of generated text, which have 20 million words and pairs in all, and trains on
them by `nabi.engines.spark`. The driver is the Python process that calls `fit`; its peak is told
beside the size of the file, and so is that of its Java process. Ranges of features that have none
are refused: they would prove nothing. `--keep DIR` keeps the files; `--check` compares the bytes
with those of one process.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from bench.scale.merge import folder, is_equal, texts_of
from bench.speed.corpus import write_csv
from bench.speed.output import Figures, add_json_option, progress, save, say

MOST, LEAST_RANGES, FEATURES = 1.3, 8, 20_000_000
OPTIONS = ["--ngrams", "1-2", "--no-score", "--no-calibrate", "--quiet"]
CHILD = """
import json, sys, time
from pathlib import Path
from tests.spark_cluster import cluster
from bench.speed import memory
import nabi
from nabi.engines import partials, spark
from nabi.files import model_file

found = {"ranges": {}}
add = partials.Assembly.add

def counted(self, range, part, data):
    arrays = model_file.from_bytes(data, verify=False)[1]
    if "word_offsets" in arrays:
        before = found["ranges"].get(range, 0)
        found["ranges"][range] = before + len(arrays["word_offsets"]) - 1
    found["largest"] = max(found.get("largest", 0), len(data))
    add(self, range, part, data)

partials.Assembly.add = counted
paths, output = sys.argv[2:], sys.argv[1]
with cluster() as session:
    memory.reset_peak()
    found["before_mb"] = memory.resident()
    start = time.perf_counter()
    model = nabi.TextClassifier(ngrams=(1, 2))
    spark.fit(paths, model, spark=session, output=output)
    found["seconds"] = time.perf_counter() - start
    found["peak_mb"] = memory.peak()
    java = session.sparkContext._gateway.proc.pid
    status = Path(f"/proc/{java}/status").read_text()
    found["java_peak_mb"] = int(status.split("VmHWM:")[1].split()[0]) / 1e3
print(json.dumps(found))
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.spark_driver", description=__doc__)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--texts", type=int, default=3900, help="of each file (3900)")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--check", action="store_true")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    with folder(args.keep) as place:
        found = measured(place, args)
    say(page(found), args.json)
    save(found, args.json)
    if found["ratio"] > MOST or found["ranges_with_features"] < LEAST_RANGES:
        sys.exit(1)


def measured(place: Path, args: argparse.Namespace) -> Figures:
    paths = [place / f"{i:03}.csv" for i in range(args.files)]
    for i, path in enumerate(paths):
        progress(f"file {i + 1} of {args.files}")
        if not path.exists():
            write_csv(path, texts_of(i, args.texts))
    progress("training by Spark")
    command = [sys.executable, "-c", CHILD, str(place / "all.nabi"), *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: Figures = json.loads(done.stdout)
    ranges = found.pop("ranges")
    found["features"] = sum(ranges.values())
    found["ranges_with_features"] = sum(n > 0 for n in ranges.values())
    found["smallest_range"], found["largest_range"] = min(ranges.values()), max(ranges.values())
    found["mb"] = (place / "all.nabi").stat().st_size / 1e6
    found["ratio"] = found["peak_mb"] / found["mb"]
    if args.check:
        found["equal"] = is_equal(place, args.files, OPTIONS)
    return found


def page(found: Figures) -> str:
    few = "" if found["features"] >= FEATURES else f" (fewer than {FEATURES:,})"
    lines = [
        f"{found['features']:,} features{few}, file {found['mb']:,.0f} MB",
        f"{found['ranges_with_features']} ranges with features: {found['smallest_range']:,} to "
        f"{found['largest_range']:,} in each; largest piece {found['largest'] / 1e6:,.1f} MB",
        f"driver: peak {found['peak_mb']:,.0f} MB, {found['ratio']:.2f}x of the file (bar {MOST}); "
        f"{found['before_mb']:,.0f} MB before; its Java process {found['java_peak_mb']:,.0f} MB",
        f"{found['seconds']:.1f} s",
    ]
    if "equal" in found:
        lines.append(f"bytes of one process: {'equal' if found['equal'] else 'DIFFERENT'}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
