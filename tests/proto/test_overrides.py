"""Fields that are set from outside a file: -set of train."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy import log
from caffepy.errors import UsageError
from caffepy.proto import caffe_pb2
from caffepy.proto.overrides import override
from caffepy.proto.text import parse, read_solver

SOLVER = """
base_lr: 0.1
stepvalue: [5, 8]
lr_policy: "multistep"
test_state { stage: "a" }
net_param {
  layer { name: "d" type: "DummyData" include { phase: TRAIN } }
  layer { name: "d" type: "DummyData" include { phase: TEST } }
  layer { name: "in.3/1x1" type: "InnerProduct" inner_product_param { num_output: 2 } param { } param { } }
  layer { name: "7" type: "ReLU" }
}
"""


def solver() -> caffe_pb2.SolverParameter:
    message = caffe_pb2.SolverParameter()
    parse(SOLVER, message, file="s.prototxt")
    return message


@pytest.mark.parametrize(
    ("words", "path", "old", "value"),
    [
        ("base_lr=1e-3", "base_lr", "base_lr: 0.1", pytest.approx(1e-3)),
        ("max_iter=2000", "max_iter", "", 2000),
        ("snapshot_after_train=false", "snapshot_after_train", "", False),
        ("solver_mode=GPU", "solver_mode", "", caffe_pb2.SolverParameter.GPU),
        ("solver_mode=0", "solver_mode", "", caffe_pb2.SolverParameter.CPU),
        ("lr_policy=fixed", "lr_policy", 'lr_policy: "multistep"', "fixed"),
        ('lr_policy="fixed"', "lr_policy", 'lr_policy: "multistep"', "fixed"),
        ("snapshot_prefix=a b/it's=\\x", "snapshot_prefix", "", "a b/it's=\\x"),
        ("snapshot_prefix=", "snapshot_prefix", "", ""),
        ("stepvalue=7", "stepvalue", "stepvalue: 5 stepvalue: 8", [7]),
        ("stepvalue=[1, 2,3]", "stepvalue", "stepvalue: 5 stepvalue: 8", [1, 2, 3]),
        ("stepvalue[1]=9", "stepvalue", "stepvalue: 8", [5, 9]),
        ("test_net=[\"a\", 'b']", "test_net", "", ["a", "b"]),
        ("test_net=a.prototxt", "test_net", "", ["a.prototxt"]),
        ("stepvalue=[]", "stepvalue", "stepvalue: 5 stepvalue: 8", []),
    ],
)
def test_a_field(words: str, path: str, old: str, value: object) -> None:
    message = solver()
    done = override(message, words, flag="-set")
    assert (done.path[0], done.old) == (path, old)
    got = getattr(message, path)
    assert (list(got) if isinstance(value, list) else got) == value


def test_fields_of_messages() -> None:
    message = solver()
    layer = message.net_param.layer[2]
    for words in (
        "train_state.level=3",
        "test_state[0].stage=deploy",
        "net_param.layer[in.3/1x1].inner_product_param.weight_filler.type=xavier",
        'net_param.layer["in.3/1x1"].param[1].lr_mult=0',
        "net_param.layer[1].type=Data",
        'net_param.layer["7"].relu_param={negative_slope: 0.5}',
    ):
        override(message, words, flag="-set")
    assert message.train_state.level == 3
    assert list(message.test_state[0].stage) == ["deploy"]
    assert layer.inner_product_param.num_output == 2
    assert layer.inner_product_param.weight_filler.type == "xavier"
    assert (layer.param[0].HasField("lr_mult"), layer.param[1].lr_mult) == (False, 0)
    assert message.net_param.layer[1].type == "Data"
    assert message.net_param.layer[3].relu_param.negative_slope == 0.5
    done = override(message, "net_param.layer[1]={name: 'e'}", flag="-set")
    assert done.path == ("net_param", "layer", 1)
    assert [item.name for item in message.net_param.layer] == ["d", "e", "in.3/1x1", "7"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "base_Ir=0.1",
            "message 'caffe.SolverParameter' has no field 'base_Ir'; nearest: 'base_lr'",
        ),
        ("base_lr=abc", "expected a number, found abc"),
        ("max_iter=1.5", "expected an integer, found 1.5"),
        ("max_iter=", "there is no value after ="),
        ("max_iter=3000000000", "value out of range"),
        (
            "solver_mode=GPUU",
            "enum 'caffe.SolverParameter.SolverMode' has no value GPUU; nearest: 'GPU'",
        ),
        ("snapshot_after_train=yes", 'expected "true" or "false"'),
        (
            "base_lr=0.1 max_iter: 3",
            "more than a value of 'base_lr' is given; needed: one -set for each field",
        ),
        ("base_lr", "needed: FIELD=VALUE, such as base_lr=0.01"),
        ("=3", "needed: FIELD=VALUE"),
        ("", "needed: FIELD=VALUE"),
        ("net_param.layer[7", "needed: FIELD=VALUE"),
        ("base_lr.x=1", "'base_lr' has no fields"),
        ("base_lr[0]=1", "'base_lr' is there once only"),
        ("stepvalue[2]=1", "there is no stepvalue[2] (there are 2 here: [0] to [1])"),
        ("stepvalue[one]=1", "'one' is no number of a stepvalue"),
        (
            "stepvalue[0]=[1, 2]",
            "a list is given; needed: one value, or stepvalue=[...] for all of them",
        ),
        (
            "test_state.level=1",
            "'test_state' may be there several times (there is one here: [0]); needed: test_state[0]",
        ),
        (
            "train_state=3",
            "'train_state' is a message; needed: train_state.phase=VALUE, or all of it as {phase: VALUE ...}",
        ),
        (
            "net_param.layer[d].name=e",
            "2 of 'layer' have the name 'd'; needed: layer[0] or layer[1]",
        ),
        ("net_param.layer[8].name=e", "there is no layer[8] (there are 4 here: [0] to [3])"),
        (
            "net_param.layer[in.3/1x2].name=e",
            "no layer has the name 'in.3/1x2'; nearest: 'in.3/1x1'",
        ),
        (
            "net_param.layer[softmax].name=e",
            "no layer has the name 'softmax'; there are 'd', 'in.3/1x1', '7'",
        ),
        (
            "net_param.layer[0].relu_parm.negative_slope=1",
            "message 'caffe.LayerParameter' has no field 'relu_parm'; nearest: 'relu_param'",
        ),
        (
            "net_param.layers[d].name=e",
            "'layers' is the field of Caffe's earlier format; the net has been brought to",
        ),
        ("snapshot_prefix=\udcff", "the value is not UTF-8"),
        (
            "lr=0.01",
            "message 'caffe.SolverParameter' has no field 'lr'; needed: base_lr=VALUE",
        ),
        ("base_lr=0,01", "this is more than one value; needed: one"),
        ("stepvalue=1 2", "this is more than one value; needed: stepvalue=[A, B] for several"),
        (f"stepvalue[{'9' * 5000}]=1", "there is no stepvalue[999"),
        ("stepvalue[0]=[]", "a list is given; needed: one value"),
    ],
)
def test_what_is_refused(words: str, message: str) -> None:
    target = solver()
    with pytest.raises(UsageError) as caught:
        override(target, words, flag="-set")
    assert str(caught.value).startswith(f"-set {words}: {message}")
    assert target == solver()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(
        'layer { name: "a" type: "ReLU" }\nlayer { name: "b" type: "Clip" }\n'
    )
    (tmp_path / "s.prototxt").write_text(
        'net: "n.prototxt"\nbase_lr: 0.1\nsolver_type: SGD\nsnapshot_prefix: "s"\n'
    )
    return tmp_path


def test_places_and_log(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    param, places = read_solver("s.prototxt", ["base_lr=0.2", "gamma=3"])
    assert (param.net, param.base_lr) == ("n.prototxt", pytest.approx(0.2))
    assert places.where("base_lr") == "-set base_lr=0.2"
    assert places.where("net") == "s.prototxt:1:1"
    said = [line.split("] ")[1] for line in capsys.readouterr().err.splitlines()]
    assert said[-2:] == [
        "-set base_lr=0.2 (in place of base_lr: 0.1)",
        "-set gamma=3 (s.prototxt does not set it)",
    ]


def test_the_net_of_a_file(files: Path) -> None:
    param, places = read_solver(
        "s.prototxt",
        ["net_param.layer[b].relu_param.negative_slope=1", "net_param.layer[0].name=c"],
    )
    assert not param.HasField("net")
    assert [layer.name for layer in param.net_param.layer] == ["c", "b"]
    assert (
        places.where("net_param", "layer", 1)
        == places.within("net_param").where("layer", 1)
        == "n.prototxt:2:1"
    )
    assert places.within("net_param").where("layer", 0, "name") == "-set net_param.layer[0].name=c"
    assert (files / "n.prototxt").read_text().startswith('layer { name: "a"')


def test_the_old_field_of_the_type(files: Path) -> None:
    assert read_solver("s.prototxt", ["solver_type=ADAM"])[0].type == "Adam"
    assert read_solver("s.prototxt", ["type=AdaGrad"])[0].type == "AdaGrad"


def test_a_folder_as_prefix(files: Path) -> None:
    (files / "runs").mkdir()
    assert read_solver("s.prototxt", ["snapshot_prefix=runs"])[0].snapshot_prefix == "runs/s"


def test_a_required_field_that_is_missing(files: Path) -> None:
    with pytest.raises(
        UsageError, match=r"required field 'net_param.layer\[1\].clip_param.min' is missing"
    ):
        read_solver("s.prototxt", ["net_param.layer[b].clip_param.max=1"])
