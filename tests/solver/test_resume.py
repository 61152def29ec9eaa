"""Snapshots: what is in them, and that a training goes on from them as if nothing had been."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy.engine.engines import LAYERWISE, WHOLE
from caffepy.errors import SolverError, WeightsError
from caffepy.proto.solver_state import read_state, write_state
from caffepy.proto.weights import read_net_weights
from caffepy.solver.solver import Solver
from tests.solver.job import NET, parameters, solver
from tests.warm.start import python

pytestmark = pytest.mark.usefixtures("folder")
Lines = Callable[[], list[str]]
FORMATS = {"BINARYPROTO": "", "HDF5": ".h5"}
MODEL = "s_iter_{}.caffemodel"
RULES = {
    "SGD": "",
    "Adam": 'type: "Adam"',
    "AdaDelta": 'type: "AdaDelta" delta: 1e-6',
    "step": 'lr_policy: "multistep" gamma: 0.5 stepvalue: 2 stepvalue: 6',
}


def run(more: str, state: str = "", **options: bool) -> Solver:
    found = solver(more)
    if state:
        found.restore(state, **options)
    found.solve()
    found.close()
    return found


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rule", RULES)
def test_goes_on_bit_by_bit(form: str, rule: str) -> None:
    kind = f"{RULES[rule]} snapshot_format: {form} test_iter: 1 test_interval: 3"
    whole = run(kind)
    run(f"{kind} max_iter: 5")
    rest = run(kind, f"s_iter_5.solverstate{FORMATS[form]}")
    assert rest.speed.iterations == 3
    assert parameters(rest) == parameters(whole)
    assert [h.numpy().tobytes() for h in rest.updater.history] == [h.numpy().tobytes() for h in whole.updater.history]


def test_goes_on_from_a_shuffled_source_and_a_test_net_in_the_middle(folder: Path, lines: Lines) -> None:
    """The test net has not seen all records when the training is cut off."""
    import h5py
    import numpy as np

    generator = np.random.default_rng(1)
    with h5py.File("data.h5", "w") as file:
        file["data"] = generator.standard_normal((11, 4)).astype(np.float32)
        file["label"] = generator.integers(0, 2, 11).astype(np.float32)
    Path("list.txt").write_text("data.h5\n")
    head, tail = NET.split('layer { name: "ip1"')
    source = (
        'layer { name: "d" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "list.txt" batch_size: 3 shuffle: true } }'
    )
    (folder / "net.prototxt").write_text(f'{head.splitlines()[1]}\n{source}\nlayer {{ name: "ip1"{tail}')
    more = "test_iter: 1 test_interval: 1 display: 1"
    whole = run(more)
    told = [line.split(", loss")[-1] for line in lines() if "et output" in line or ", loss" in line]
    run(f"{more} max_iter: 4")
    lines()
    rest = run(more, "s_iter_4.solverstate")
    again = [line.split(", loss")[-1] for line in lines() if "et output" in line or ", loss" in line]
    assert parameters(rest) == parameters(whole)
    assert again == told[-len(again) :]


def test_goes_on_with_the_smoothed_loss_that_plateau_looks_at(lines: Lines) -> None:
    kind = 'lr_policy: "plateau" gamma: 0.5 plateau_winsize: 1 plateau_winsize: 1 plateau_winsize: 1 average_loss: 3 display: 1'
    whole = run(kind)
    told = [line for line in lines() if line.startswith(("Iteration", "Plateau")) and "loss" in line]
    run(f"{kind} max_iter: 5")
    lines()
    rest = run(kind, "s_iter_5.solverstate")
    again = [line for line in lines() if line.startswith(("Iteration", "Plateau")) and "loss" in line]
    assert parameters(rest) == parameters(whole)
    assert [re.sub(r" \(.*iters\)", "", line) for line in again] == [re.sub(r" \(.*iters\)", "", line) for line in told[-len(again) :]]
    assert len(again) >= 4
    other = run(kind.replace("average_loss: 3", "average_loss: 2"), "s_iter_5.solverstate")
    assert other.losses.average_loss == 2


def test_without_data_positions_the_data_start_again(folder: Path) -> None:
    """As the real Caffe's states have none."""
    (folder / "net.prototxt").write_text(
        NET.replace("mirror: true crop_size: 4", "").replace("crop_size: 4", "").replace('type: "Dropout"', 'type: "ReLU"')
    )
    run("max_iter: 5")
    state = read_state("s_iter_5.solverstate")
    assert json.loads(zlib.decompress(state.run_state))["ranks"][0]["sources"]
    write_state("caffe.solverstate", replace(state, run_state=b""))
    kept, started, asked = run("", "s_iter_5.solverstate"), run("", "caffe.solverstate"), run("", "s_iter_5.solverstate", exact=False)
    assert parameters(started) == parameters(asked)
    assert parameters(started) != parameters(kept)
    assert started.iteration == 8


def test_layers_frozen_since_are_moved_on_by_their_momentum(folder: Path) -> None:
    """As in Caffe, where lr_mult is part of what is added to the momentum."""
    run("momentum: 0.5 max_iter: 3")
    frozen = "param { lr_mult: 0 } param { lr_mult: 0 } inner_product_param"
    (folder / "net.prototxt").write_text(NET.replace("inner_product_param", frozen))
    before = read_state("s_iter_3.solverstate").history[-1]
    found = solver("momentum: 0.5 max_iter: 4")
    found.restore("s_iter_3.solverstate")
    weights = found.train_engine.arena.learnable[-1].detach().clone().numpy()
    found.solve()
    found.close()
    assert before.any()
    np.testing.assert_allclose(found.train_engine.arena.learnable[-1].detach().numpy(), weights - before / 2, rtol=1e-6)


def test_moved_files_are_found_beside_each_other(folder: Path, lines: Lines) -> None:
    first = run("max_iter: 5")
    (folder / "kept").mkdir()
    for end in ("caffemodel", "solverstate"):
        shutil.move(f"s_iter_5.{end}", "kept")
    found = solver()
    lines()
    found.restore("kept/s_iter_5.solverstate")
    assert parameters(found) == parameters(first)
    assert "s_iter_5.caffemodel is not there; reading kept/s_iter_5.caffemodel beside the state" in lines()
    (folder / "kept/s_iter_5.caffemodel").unlink()
    with pytest.raises(WeightsError, match="File not found: s_iter_5.caffemodel, the model that belongs to this state"):
        found.restore("kept/s_iter_5.solverstate")
    found.close()


def test_states_that_do_not_fit(folder: Path) -> None:
    run("max_iter: 1")
    other = solver('type: "Adam"')
    with pytest.raises(WeightsError, match="Incorrect length of history blobs. Found: 4, the solver has 8"):
        other.restore("s_iter_1.solverstate")
    other.close()
    (folder / "net.prototxt").write_text(NET.replace("num_output: 6", "num_output: 7"))
    wider = solver()
    with pytest.raises(WeightsError, match=r"history blob 0 has shape \(6, 16\), its parameter \(7, 16\)"):
        wider.restore("s_iter_1.solverstate")
    assert wider.iteration == 0
    wider.close()


@pytest.mark.parametrize("form", FORMATS)
def test_snapshot_diff_keeps_the_last_update(form: str) -> None:
    """Caffe leaves in a blob's diff what it subtracts from the blob."""
    run(f"snapshot: 1 max_iter: 2 snapshot_format: {form}")
    before = parameters_of(f"s_iter_1.caffemodel{FORMATS[form]}")
    run(f"snapshot: 1 max_iter: 2 snapshot_diff: true snapshot_format: {form}")
    after, diffs = parameters_of(f"s_iter_2.caffemodel{FORMATS[form]}"), diffs_of(f"s_iter_2.caffemodel{FORMATS[form]}")
    assert after.keys() == diffs.keys()
    for name, value in after.items():
        assert before[name] - diffs[name] == pytest.approx(value, abs=1e-7)
        assert abs(diffs[name]).max() > 0


ASIDE = """
layer { name: "aside" type: "InnerProduct" bottom: "data" top: "aside"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "silence" type: "Silence" bottom: "aside" }
"""


@pytest.mark.parametrize("engine", [WHOLE, LAYERWISE])
@pytest.mark.parametrize("rule", ["SGD", "Adam"])
def test_snapshot_diff_of_a_parameter_that_no_gradient_reaches(folder: Path, rule: str, engine: str) -> None:
    """Weight decay and momentum move it, and Caffe leaves that in its diff as in others'."""
    (folder / "net.prototxt").write_text(NET + ASIDE)
    found = solver(f'snapshot: 1 max_iter: 3 weight_decay: 0.5 snapshot_diff: true type: "{rule}"', engine=engine)
    found.solve()
    found.close()
    before, after, diff = (of["aside/0"] for of in (*map(parameters_of, map(MODEL.format, (2, 3))), diffs_of(MODEL.format(3))))
    assert before - diff == pytest.approx(after, abs=1e-7)
    assert abs(diff).min() > 1e-6


def parameters_of(path: str) -> dict[str, Any]:
    return {f"{layer.name}/{i}": blob for layer in read_net_weights(path) for i, blob in enumerate(layer.blobs)}


def diffs_of(path: str) -> dict[str, Any]:
    import numpy as np

    from caffepy.proto import caffe_pb2

    if path.endswith(".h5"):
        import h5py

        with h5py.File(path) as file:
            return {f"{layer}/{i}": blob[...] for layer, blobs in file["diff"].items() for i, blob in blobs.items()}
    net = caffe_pb2.NetParameter.FromString(Path(path).read_bytes())
    return {
        f"{layer.name}/{i}": np.array(blob.diff, np.float32).reshape(tuple(blob.shape.dim))
        for layer in net.layer
        for i, blob in enumerate(layer.blobs)
    }


def test_a_prefix_that_cannot_be_written(folder: Path) -> None:
    with pytest.raises(SolverError, match="'nowhere' does not exist"):
        solver('snapshot: 1 snapshot_prefix: "nowhere/s"')
    (folder / "s_iter_1.caffemodel").mkdir()
    blocked = solver("snapshot: 1")
    with pytest.raises(WeightsError, match="s_iter_1.caffemodel: cannot write it"):
        blocked.step(1)
    blocked.close()
    assert [path.name for path in folder.glob("*.tmp.*")] == []


@pytest.mark.parametrize("form", FORMATS)
def test_killed_at_any_moment_no_file_is_broken(folder: Path, root: Path, form: str) -> None:
    solver(f"snapshot: 1 max_iter: 1000000 snapshot_format: {form}").close()
    command = [*python(), "-m", "caffepy.cli.main", "caffe", "train", "-solver", "solver.prototxt"]
    environ = dict(os.environ, PYTHONPATH=str(root), OMP_NUM_THREADS="1")
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environ) as process:
        until = time.monotonic() + 60
        while len(_whole(folder)) < 20 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    files = _whole(folder)
    assert len(files) >= 20
    for path in files:
        if "solverstate" in path.name:
            assert len(read_state(path).history) == 4
            assert Path(read_state(path).learned_net).exists()
        else:
            assert sum(len(layer.blobs) for layer in read_net_weights(path)) == 4


def _whole(folder: Path) -> list[Path]:
    return [path for path in folder.glob("s_iter_*") if ".tmp." not in path.name]


def test_recurrent_layers_go_on_from_their_states(folder: Path) -> None:
    text = """
    layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "db" batch_size: 4 backend: LMDB }
      transform_param { scale: 0.01 crop_size: 2 } }
    layer { name: "steps" type: "Reshape" bottom: "data" top: "x" reshape_param { shape { dim: 2 dim: 2 dim: 4 } } }
    layer { name: "c" type: "DummyData" top: "cont" dummy_data_param { shape { dim: 2 dim: 2 } data_filler { value: 1 } } }
    layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "h"
      recurrent_param { num_output: 3 weight_filler { type: "uniform" min: -0.5 max: 0.5 } } }
    layer { name: "rows" type: "Reshape" bottom: "h" top: "y" reshape_param { shape { dim: 4 dim: 3 } } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "y" bottom: "label" top: "loss" }
    """
    (folder / "net.prototxt").write_text(text)
    more = "test_iter: 1 test_interval: 3"
    whole = run(more)
    run(f"{more} max_iter: 5")
    assert parameters(run(more, "s_iter_5.solverstate")) == parameters(whole)
    assert parameters(run(more, "s_iter_5.solverstate", exact=False)) != parameters(whole)
