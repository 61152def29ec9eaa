"""Faults that people reported of weights, solvers, snapshots and the programs train and test."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from caffepy.proto import caffe_pb2
from tests.contract.reported.kit import Said, caffe, h5_layer, learned, save_h5, save_image, save_weights, score_net, train
from tests.warm.start import python

ROWS = {"x": np.float32([[1, 2], [0, 1], [3, -1], [2, 2]]), "t": np.float32([[1], [2], [0], [1]])}
IP = 'layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }\n'
LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "t" top: "loss" }\n'


def regression(batch: int = 4) -> str:
    """A net that learns `ROWS`, saved as ``list``."""
    save_h5("list", ROWS)
    return h5_layer("list", "x", "t", batch=batch) + IP + LOSS


def test_weights_of_another_shape_or_name() -> None:
    save_h5("list", {"x": np.float32([[1, 2]])})
    weight, bias = np.float32([[1, 10], [2, 20], [3, 30]]), np.float32([0.1, 0.2, 0.3])
    save_weights("new.caffemodel", {"fc": [weight, bias]})
    save_weights("old.caffemodel", {"fc": [weight, bias]}, legacy=True)

    def score(layer: str, file: str = "new.caffemodel") -> Said:
        return score_net(h5_layer("list", "x", batch=1) + layer, weights=file)

    fc = 'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 3 } }'
    for file in ("new.caffemodel", "old.caffemodel"):
        np.testing.assert_allclose(score(fc, file).values("y"), [21.1, 42.2, 63.3], rtol=1e-6)
    renamed = score(fc.replace('"fc"', '"fd"').replace("num_output: 3", 'num_output: 3 weight_filler { type: "constant" value: 0.5 }'))
    assert renamed.values("y") == [1.5] * 3
    assert renamed.after("Ignoring source layer ") == ["fc"]
    five = score(fc.replace("num_output: 3", "num_output: 5")).refusal
    assert "Cannot copy param 0 weights from layer 'fc'; shape mismatch.  Source param shape is 3 2 (6); target param shape is 5 2" in five
    conv = 'layer { name: "fc" type: "Convolution" bottom: "x" top: "y" convolution_param { num_output: 3 axis: 0 kernel_size: 1 } }'
    assert "shape mismatch" in score(conv).refusal


def test_weights_in_half_precision() -> None:
    save_h5("list", {"x": np.float32([[1, 2]])})
    net = caffe_pb2.NetParameter()
    layer = net.layer.add(name="ip", type="InnerProduct")
    for values in (np.float16([[0.5, 0.25]]), np.float16([0.125])):
        blob = layer.blobs.add()
        blob.shape.dim.extend(values.shape)
        # NVCaffe's fields: raw_data_type 10 (FLOAT16 is 2), raw_data 12
        blob.MergeFromString(b"\x50\x02" + b"\x62" + bytes((values.nbytes,)) + values.tobytes())
    Path("half.caffemodel").write_bytes(net.SerializeToString())
    assert score_net(h5_layer("list", "x", batch=1) + IP, weights="half.caffemodel").values("y") == [1.125]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("", "lr_policy is not given"),
        ("foo", "Unknown learning rate policy: foo"),
        ("step", "stepsize is 0; lr_policy 'step' needs 1 or more"),
    ],
)
def test_policies_are_checked_before_the_first_iteration(policy: str, message: str) -> None:
    Path("net.prototxt").write_text(regression())
    Path("s.prototxt").write_text(f'net: "net.prototxt" lr_policy: "{policy}" base_lr: 0.1 max_iter: 1 display: 1')
    said = caffe("train", "-solver", "s.prototxt")
    assert message in said.refusal
    assert not said.after("Iteration 0")


@pytest.mark.parametrize("snapshot", ["snapshot: 1", ""])
def test_a_snapshot_folder_that_is_missing(snapshot: str) -> None:
    Path("net.prototxt").write_text(regression())
    Path("s.prototxt").write_text(f'net: "net.prototxt" lr_policy: "fixed" base_lr: 0.1 max_iter: 1 {snapshot} snapshot_prefix: "no/x"')
    said = caffe("train", "-solver", "s.prototxt")
    assert "Cannot write to snapshot prefix 'no/x'" in said.refusal
    assert f"'no' does not exist (looked in {Path.cwd()})" in said.refusal
    assert not said.after("Iteration 0")


def test_layer_names_with_slashes_in_hdf5() -> None:
    net = regression().replace('"ip"', '"/ip//7x7"')
    solver = "base_lr: 0.1 max_iter: 2 snapshot_format: HDF5"
    assert train(net, solver).code == 0
    said = train(net, "base_lr: 0 max_iter: 1 display: 1", "-weights", "solver_iter_2.caffemodel.h5", name="tuned")
    assert said.code == 0
    np.testing.assert_array_equal(learned("tuned_iter_1.caffemodel"), learned("solver_iter_2.caffemodel.h5"))
    more = IP.replace('"ip"', '"ip/0"').replace('"y"', '"z"')
    refusal = train(regression() + more, solver).refusal
    assert refusal == "solver.prototxt: the layers 'ip' and 'ip/0' have one place in an HDF5 file; needed: other names, or a binary file"


def test_the_path_and_the_folder_of_a_missing_net() -> None:
    Path("s.prototxt").write_text('net: "exp/net.prototxt" lr_policy: "fixed" base_lr: 0.1 snapshot_prefix: "s"')
    assert f"File not found: exp/net.prototxt (looked in {Path.cwd()})" in caffe("train", "-solver", "s.prototxt").refusal


def test_a_resumed_training_goes_on_with_its_momentum() -> None:
    solver = "base_lr: 0.05 momentum: 0.9 random_seed: 3 max_iter: 9 snapshot: 5"
    assert train(regression(), solver).code == 0
    straight = learned("solver_iter_9.caffemodel")
    Path("solver_iter_9.caffemodel").unlink()
    said = train(regression(), solver + " display: 1", "-snapshot", "solver_iter_5.solverstate")
    assert [line.split()[0] for line in said.after("Iteration ") if "iter/s" in line] == ["5", "6", "7", "8"]
    np.testing.assert_array_equal(learned("solver_iter_9.caffemodel"), straight)


SHUFFLED = {
    "HDF5Data": 'hdf5_data_param { source: "list" batch_size: 4 shuffle: true }',
    "ImageData": 'image_data_param { source: "images" batch_size: 1 shuffle: true }',
    "DummyData": "dummy_data_param { shape { dim: 4 } shape { dim: 4 } }",
}
BESIDE = (
    'layer { name: "s" type: "Silence" bottom: "a" bottom: "b" }\n'
    'layer { name: "e" type: "DummyData" top: "x" dummy_data_param { shape { dim: 1 dim: 2 } } }\n'
)


@pytest.mark.parametrize(
    ("before", "after", "rows", "why"),
    [
        ("HDF5Data", "HDF5Data", 3, "the saved order is of 4 rows, 'list.0.h5' has 3 now"),
        ("ImageData", "ImageData", 3, "the saved order is of 4 items, there are 3 now; the list was changed"),
        ("ImageData", "HDF5Data", 4, "the saved position is that of another type of layer"),
        ("HDF5Data", "ImageData", 4, "the saved position is that of another type of layer"),
        ("ImageData", "ImageData", 4, ""),
        ("HDF5Data", "DummyData", 4, ""),
    ],
)
def test_a_resumed_training_takes_other_data(before: str, after: str, rows: int, why: str) -> None:
    for i in range(4):
        save_image(f"{i}.png", np.full((1, 2, 3), i, np.uint8))
    for kind, count, words in ((before, 4, ()), (after, rows, ("-snapshot", "solver_iter_2.solverstate"))):
        Path("images").write_text("".join(f"{i}.png {i}\n" for i in range(count)))
        save_h5("list", {top: values[:count] for top, values in zip("ab", ROWS.values())})
        net = f'layer {{ name: "d" type: "{kind}" top: "a" top: "b" {SHUFFLED[kind]} }}\n{BESIDE}{IP}'
        said = train(net, f"base_lr: 0.1 max_iter: {4 if words else 2}", *words)
        assert said.code == 0
    assert said.after("layer 'd': ") == ([f"{why}; its data start at the beginning"] if why else [])


def test_files_that_no_training_resumes_from() -> None:
    assert train(regression(), "base_lr: 0.1 max_iter: 1").code == 0
    model, state = "solver_iter_1.caffemodel", "solver_iter_1.solverstate"
    for words, message in (
        (("-snapshot", model), f"{model}: not a solver's state; needed: the .solverstate of a snapshot"),
        (("-snapshot", "no.solverstate"), f"File not found: no.solverstate (looked in {Path.cwd()})"),
        (("-snapshot", state, "-weights", model), "Give a snapshot to resume training or weights to finetune but not both."),
    ):
        said = train(regression(), "base_lr: 0.1 max_iter: 3", *words)
        assert said.refusal == message or said.refusal.startswith(message)
        assert not Path("solver_iter_3.caffemodel").exists()


def test_a_resumed_training_takes_the_rate_of_its_solver() -> None:
    assert train(regression(), "base_lr: 0.1 max_iter: 10 snapshot: 10").code == 0
    more = 'base_lr: 0.5 lr_policy: "step" gamma: 0.1 stepsize: 4 max_iter: 13 display: 1'
    Path("more.prototxt").write_text(f'net: "net.prototxt" snapshot_prefix: "more" {more}')
    said = caffe("train", "-solver", "more.prototxt", "-snapshot", "solver_iter_10.solverstate")
    assert said.after("lr = ") == ["0.005", "0.005", "0.0005"]


def test_iter_size_is_a_larger_batch() -> None:
    whole = train(regression(batch=4), "base_lr: 0.1 random_seed: 2 max_iter: 3 display: 1", name="a")
    parts = train(regression(batch=1), "base_lr: 0.1 random_seed: 2 max_iter: 3 display: 1 iter_size: 4", name="b")
    np.testing.assert_allclose(learned("a_iter_3.caffemodel"), learned("b_iter_3.caffemodel"), rtol=1e-5)
    losses = [[float(text) for text in said.after("iters), loss = ")] for said in (whole, parts)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_the_smoothed_loss_is_caffes_float32_sum() -> None:
    save_h5("list", {"x": np.sqrt(np.float32([4e9, 2, 4, 6, 8]))[:, None], "t": np.zeros((5, 1), np.float32)})
    net = h5_layer("list", "x", "t", batch=1) + IP + LOSS
    net = net.replace("num_output: 1", 'num_output: 1 weight_filler { type: "constant" value: 1 }')
    said = train(net, "base_lr: 0 max_iter: 5 display: 1 average_loss: 3")
    shown = [text.split(", loss = ")[-1] for text in said.after("Iteration ") if "iter/s" in text]
    assert shown[:4] == ["2e+09", "1e+09", "6.66667e+08", "0"]


def test_a_seed_makes_a_run_that_comes_again() -> None:
    for i in range(4):
        save_image(f"{i}.png", np.random.RandomState(i).randint(0, 256, (6, 6, 3), np.uint8))
    Path("images").write_text("".join(f"{i}.png {i % 2}\n" for i in range(4)))
    net = """layer { name: "d" type: "ImageData" top: "x" top: "t" transform_param { crop_size: 4 mirror: true scale: 0.01 }
                     image_data_param { source: "images" batch_size: 2 shuffle: true rand_skip: 3 } }
             layer { name: "drop" type: "Dropout" bottom: "x" top: "x" }"""
    net += IP.replace("num_output: 1", 'num_output: 2 weight_filler { type: "gaussian" std: 0.1 }')
    net += LOSS.replace("EuclideanLoss", "SoftmaxWithLoss")
    runs = []
    for seed in ("random_seed: 7", "random_seed: 7", "", ""):
        assert train(net, f"base_lr: 0.1 max_iter: 5 {seed}").code == 0
        runs.append(Path("solver_iter_5.caffemodel").read_bytes())
    assert runs[0] == runs[1]
    assert len(set(runs)) == 3


def test_the_test_program_counts_batches() -> None:
    save_h5("list", {"x": np.eye(2)[[0, 1, 0, 1, 0, 1, 0, 1]], "t": [0, 1, 0, 1, 1, 0, 1, 0]})
    net = h5_layer("list", "x", "t", batch=2) + 'layer { name: "a" type: "Accuracy" bottom: "x" bottom: "t" top: "a" }'
    assert score_net(net, iterations=4).values("a") == [0.5]
    assert caffe("test", "-model", "net.prototxt", "-weights", "none.caffemodel").values("a") == [0.52]
    assert "Need model weights to score" in caffe("test", "-model", "net.prototxt").refusal


def test_several_test_nets() -> None:
    save_h5("list", {"x": [[1.0]], "t": [[1.0]]})
    tests = ""
    for stage, value in (("one", 1), ("two", 2)):
        tests += f"""layer {{ name: "{stage}" type: "DummyData" top: "v" include {{ phase: TEST stage: "{stage}" }}
            dummy_data_param {{ shape {{ dim: {value} }} data_filler {{ type: "constant" value: {value} }} }} }}\n"""
    layers = (h5_layer("list", "x", "t", batch=1), IP, LOSS)
    learns = "".join(layer.replace("type:", "include { phase: TRAIN } type:", 1) for layer in layers)
    states = 'test_state { stage: "one" } test_state { stage: "two" }'
    said = train(learns + tests, f"base_lr: 0.1 max_iter: 1 test_iter: 1 test_iter: 3 test_interval: 5 {states}")
    assert said.after("Testing net (#") == ["0)", "1)"]
    assert said.after("Test net output #0: v = ") == ["1", "2"]
    assert (
        "test_state must be unspecified or specified once per test net"
        in train(learns + tests, f"base_lr: 0.1 max_iter: 1 test_iter: 1 test_interval: 5 {states}").refusal
    )
    assert "test_interval is 0" in train(learns + tests, f"base_lr: 0.1 max_iter: 1 test_iter: 1 test_iter: 3 {states}").refusal


def test_an_interrupt_leaves_a_snapshot_although_nobody_reads_the_log(root: Path) -> None:
    Path("net.prototxt").write_text(regression())
    Path("s.prototxt").write_text(
        'net: "net.prototxt" lr_policy: "fixed" base_lr: 0.001 max_iter: 100000000 display: 1 snapshot_prefix: "s"'
    )
    command = [*python(), "-m", "caffepy", "train", "-solver", "s.prototxt"]
    process = subprocess.Popen(command, env=dict(os.environ, PYTHONPATH=str(root)), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "Iteration 10 " in line:
            break
    process.stderr.close()  # as tee does when it is interrupted first
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    assert len(list(Path().glob("s_iter_*.solverstate"))) == 1
