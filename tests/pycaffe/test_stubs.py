"""The type stubs of `caffe`: made of what there is, and right about scripts of users."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import caffe
import pytest
from caffe import layers as L
from caffe import params as P

ROOT = Path(__file__).parents[2]
SHIM = ROOT / "caffepy/pycaffe/shim"
RIGHT = """
import caffe
from caffe import layers as L, params as P
from caffe.proto import caffe_pb2

n = caffe.NetSpec()
n.data, n.label = L.Data(
    source="train", backend=P.Data.LMDB, batch_size=64, ntop=2, transform_param=dict(scale=0.5)
)
n.conv = L.Convolution(n.data, kernel_size=[5, 3], num_output=2, weight_filler=dict(type="msra"))
n.pool = L.Pooling(n.conv, kernel_size=2, pool=P.Pooling.MAX, param=[dict(lr_mult=1)])
n.relu = L.ReLU(n.pool, in_place=True)
n["loss/1"] = L.SoftmaxWithLoss(n.relu, n.label, loss_param=dict(ignore_label=255))
n.silence = L.Silence(n.label, ntop=0)
proto: caffe_pb2.NetParameter = n.to_proto()
net = caffe.Net("deploy.prototxt", caffe.TEST, weights="a.caffemodel")
old = caffe.Net("deploy.prototxt", "a.caffemodel", caffe.TEST)
net.blobs["data"].data[...] = caffe.io.load_image("cat.jpg")
largest: float = net.forward()["prob"].max()
net.params["conv"][0].diff[...] = 0
solver = caffe.get_solver("solver.prototxt")
solver.step(10)
scores = caffe.Classifier("d.prototxt", "a.caffemodel", raw_scale=255).predict([largest])
"""
WRONG = """
import caffe
from caffe import layers as L, params as P

n = caffe.NetSpec()
n.a = L.Convolution(n.data, num_outptu=3)
n.b = L.Convolutoin(n.data, num_output=3)
n.c = L.Convolution(n.data, num_output="3")
n.d = L.Pooling(n.data, pool=P.Pooling.MAXX)
caffe.Net("a.prototxt")
"""


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The tool that writes them."""
    loader = SourceFileLoader("make_stubs", str(ROOT / "tools/dev/make_stubs"))
    spec = spec_from_loader("make_stubs", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_they_are_up_to_date(maker: ModuleType) -> None:
    made = maker.stubs()
    assert set(made) == set(SHIM.rglob("*.pyi"))
    old = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert old == [], "run tools/dev/make_all"


def test_what_they_name_is_there(maker: ModuleType) -> None:
    for path, text in maker.stubs().items():
        tree = ast.parse(text)
        names = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname]
        module = importlib.import_module(".".join(path.relative_to(SHIM).with_suffix("").parts).removesuffix(".__init__"))
        assert [name for name in names if not hasattr(module, name)] == []


def test_fields_and_their_comments(maker: ModuleType) -> None:
    tree = ast.parse(maker.layers_stub())
    functions = {node.name: node for node in reversed(tree.body) if isinstance(node, ast.FunctionDef)}
    assert set(functions) == set(caffe.layer_type_list())
    convolution = functions["Convolution"]
    assert convolution.args.kwonlyargs[0].arg == "num_output"
    said = ast.get_docstring(convolution) or ""
    assert "num_output: Number of filters: the channels of the top." in said
    assert "group: The channels are divided into so many groups, which are convolved apart. Default 1." in said
    assert "relu: Default false. Of intel." in said
    common = {arg.arg for arg in functions["LSTM"].args.kwonlyargs}
    assert {"name", "param", "loss_weight", "recurrent_param"} <= common


def test_notebooks_complete_by_names() -> None:
    assert "Convolution" in dir(L)
    assert L.Convolution.__name__ == "Convolution"
    assert "Pooling" in dir(P)
    assert {"MAX", "AVE"} <= set(dir(P.Pooling))
    assert set(dir(caffe.params)) == set(dir(P))


@pytest.mark.timeout(300)
def test_scripts_are_checked(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the extra 'dev'")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    # with the settings and the cache of tools/dev/check, which are those of the whole package
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context"]
    command += [str(tmp_path / "right.py"), str(tmp_path / "wrong.py")]
    environment = {**os.environ, "MYPYPATH": str(SHIM)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)
    errors = [line.rpartition("/")[2] for line in done.stdout.splitlines() if ": error: " in line]
    assert [line.partition(": error")[0] for line in errors] == [f"wrong.py:{line}" for line in (6, 7, 8, 9, 10)], done.stdout
