"""The three upgrade tools: what they write, say and end with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.proto import caffe_pb2, wire

V0 = """name: "old"
input: "data" input_dim: 1 input_dim: 1 input_dim: 4 input_dim: 4
layers { layer { name: "ip" type: "innerproduct" num_output: 2 } bottom: "data" top: "ip" }
"""
LOST = 'input: "a" input_dim: [1, 1, 1, 1] layers { layer { name: "r" type: "relu" num_output: 2 } bottom: "a" top: "a" }'
MIXED = 'layers { name: "a" type: RELU bottom: "x" top: "x" } layer { name: "b" type: "ReLU" bottom: "x" top: "x" }'
NEW = 'layer {\n  name: "a"\n  type: "ReLU"\n}\n'


def test_net_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.prototxt").write_text(V0)
    assert run("upgrade_net_proto_text", [str(tmp_path / "in.prototxt"), str(tmp_path / "out.prototxt")]) == 0
    assert (tmp_path / "out.prototxt").read_text() == (
        'name: "old"\n'
        'layer {\n  name: "input"\n  type: "Input"\n  top: "data"\n'
        "  input_param {\n    shape {\n      dim: 1\n      dim: 1\n      dim: 4\n      dim: 4\n    }\n  }\n}\n"
        'layer {\n  name: "ip"\n  type: "InnerProduct"\n  bottom: "data"\n  top: "ip"\n'
        "  inner_product_param {\n    num_output: 2\n  }\n}\n"
    )
    told = capsys.readouterr().err
    assert "Attempting to upgrade input file specified using deprecated V0LayerParameter" in told
    assert f"Wrote upgraded NetParameter text proto to {tmp_path}/out.prototxt" in told


def test_net_binary_keeps_the_weights(tmp_path: Path) -> None:
    net = caffe_pb2.NetParameter()
    old = net.layers.add(name="ip", type="INNER_PRODUCT")
    old.blobs.add(num=1, channels=1, height=1, width=3, data=[1, 2, 3])
    (tmp_path / "in").write_bytes(net.SerializeToString())
    assert run("caffepy", ["upgrade_net_proto_binary", str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    new = caffe_pb2.NetParameter.FromString((tmp_path / "out").read_bytes())
    assert (new.layer[0].type, list(new.layer[0].blobs[0].data), len(new.layers)) == ("InnerProduct", [1, 2, 3], 0)


def test_a_binary_net_of_the_present_format_is_written_as_it_is(tmp_path: Path) -> None:
    """With what forks put at numbers that the common schema knows otherwise, or not."""
    net = caffe_pb2.NetParameter(layer=[{"name": "ip", "type": "InnerProduct", "blobs": [{"data": [1, 2], "shape": {"dim": [2]}}]}])
    engines = b"\xaa\x09\x07MKL2017\xda\x08\x02\x20\x04"  # of Intel: engine, batch_norm_param.engine
    layer = net.layer[0].SerializeToString() + engines
    data = b"\xa2\x06" + bytes([len(layer)]) + layer + b"\x0a\x01n"
    (tmp_path / "in").write_bytes(data)
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == data


def test_an_upgraded_binary_net_keeps_fields_that_nobody_knows(tmp_path: Path) -> None:
    net = caffe_pb2.NetParameter(input=["d"], input_dim=[1, 1, 1, 1], layer=[{"name": "r", "type": "ReLU", "bottom": ["d"], "top": ["d"]}])
    layer = net.layer[0].SerializeToString() + b"\xaa\x09\x07MKL2017"
    net.ClearField("layer")
    (tmp_path / "in").write_bytes(net.SerializeToString() + b"\xa2\x06" + bytes([len(layer)]) + layer)
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    written = (tmp_path / "out").read_bytes()
    assert [layer.type for layer in caffe_pb2.NetParameter.FromString(written).layer] == ["Input", "ReLU"]
    assert b"\xaa\x09\x07MKL2017" in written


@pytest.mark.parametrize("name", ["RMSPROP", "SGD"])
def test_solver(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text(f"base_lr: 0.1 solver_type: {name}")
    assert run("upgrade_solver_proto_text", [str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_text() == f'base_lr: 0.1\ntype: "{ {"RMSPROP": "RMSProp"}.get(name, name) }"\n'


@pytest.mark.parametrize(
    ("tool", "text", "code", "said"),
    [
        ("upgrade_net_proto_text", NEW, 0, "E: File already in latest proto format:"),
        ("upgrade_net_proto_text", LOST, 1, "E: Encountered error(s) while upgrading prototxt"),
        ("upgrade_net_proto_text", "layer { foo: 1 }", 2, "E: Failed to parse input text file as NetParameter: {file}:1:9: "),
        ("upgrade_net_proto_text", MIXED, 1, "F: {file}:"),
        ("upgrade_net_proto_binary", "no net", 2, "E: Failed to parse input binary file as NetParameter: {file}: not a binary"),
        ("upgrade_solver_proto_text", 'type: "SGD"', 0, "E: File already in latest proto format:"),
        ("upgrade_solver_proto_text", "no solver", 2, "E: Failed to parse input text file as SolverParameter: {file}:1:"),
        ("upgrade_solver_proto_text", 'type: "SGD" solver_type: SGD', 1, "F: {file}: Failed to upgrade solver: old solver_type"),
    ],
)
def test_exit_codes(tool: str, text: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_text(text)
    assert run(tool, [str(tmp_path / "in"), str(tmp_path / "out")]) == code
    lines = [f"{line[0]}: {line.partition('] ')[2]}" for line in capsys.readouterr().err.splitlines()]
    assert [line for line in lines if line.startswith(said.format(file=tmp_path / "in"))]
    # what could not be kept does not stop the rest from being written, as in Caffe
    assert (tmp_path / "out").exists() == (code == 0 or text == LOST)


def test_missing_file_and_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("upgrade_net_proto_text", [str(tmp_path / "no"), str(tmp_path / "out")]) == 1
    assert f"] File not found: {tmp_path}/no\n" in capsys.readouterr().err
    assert run("upgrade_net_proto_text", ["one"]) == 1
    assert "usage: upgrade_net_proto_text [FLAGS] V0_NET_PROTO_FILE_IN NET_PROTO_FILE_OUT" in capsys.readouterr().err


def test_without_torch(root: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_text(V0)
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from caffepy.cli.main import run;"
        f"print(run('upgrade_net_proto_text', ['in', 'out']), 'torch' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "0 False False\n"


@pytest.mark.parametrize("way", ["itself", "another spelling", "a symbolic link", "a hard link"])
@pytest.mark.parametrize("tool", ["upgrade_net_proto_text", "upgrade_net_proto_binary", "upgrade_solver_proto_text"])
def test_the_input_is_not_overwritten(tool: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_text("solver_type: ADAM" if "solver" in tool else V0)
    before = source.read_bytes()
    if way == "a symbolic link":
        target.symlink_to(source)
    elif way == "a hard link":
        target.hardlink_to(source)
    else:
        target = source if way == "itself" else Path(f"{tmp_path}/../{tmp_path.name}/./in")
    assert run(tool, [str(source), str(target)]) == 1
    assert f"{target} would be overwritten, and it is what is read; needed: another name" in capsys.readouterr().err
    assert source.read_bytes() == before


def test_binary_nets_of_forks_say_that_their_numbers_are_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = caffe_pb2.NetParameter()
    net.layers.add(name="a", type="RELU")
    net.layers.add(name="b", type="SEG_ACCURACY")
    net.layers.add(name="d")
    unknown = b"\x12\x06\x22\x01c\x28\xab\x02"  # layers { name: "c" type: 299 }
    (tmp_path / "in").write_bytes(net.SerializeToString() + unknown[:1] + bytes([len(unknown) - 2]) + unknown[2:])
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert "no type for c: its number is a fork's own; write the type into the upgraded prototxt" in told
    assert "layer 'b': type 40 is taken for SEG_ACCURACY; forks use such a number for others too" in told


def test_a_layer_without_type_is_upgraded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = caffe_pb2.NetParameter()
    net.layers.add(name="a", top=["y"])
    (tmp_path / "in").write_bytes(net.SerializeToString())
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    assert "no type" not in capsys.readouterr().err
    (layer,) = caffe_pb2.NetParameter.FromString((tmp_path / "out").read_bytes()).layer
    assert (layer.name, layer.type, layer.top) == ("a", "", ["y"])


BLOB = b"\x08\x01\x10\x01\x18\x01\x20\x01\x28\x02\x32\x08\x00\x00\x80\x3f\x00\x00\x00\x40"
"""Of C3D v1.0: sizes 1, 1, 1, 1, 2, values 1, 2."""


def c3ds(*layers: tuple[str, int, bytes]) -> bytes:
    """A binary net of C3D v1.0: names, types and other fields of layers."""
    return b"".join(message(2, message(4, name.encode()) + bytes([5 << 3, kind]) + rest) for name, kind, rest in layers)


def message(number: int, content: bytes) -> bytes:
    return wire.varint(number << 3 | wire.BYTES) + wire.varint(len(content)) + content


def test_a_caffemodel_of_c3d_1_is_upgraded_with_its_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clips = message(15, b"\x20\x1e\x28\x70\x58\x10")  # batch_size 30, crop_size 112, new_length 16
    (tmp_path / "in").write_bytes(c3ds(("v", 33, clips), ("c", 30, message(6, BLOB)), ("p", 31, message(19, b"\x28\x03"))))
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    video, convolution, pooling = caffe_pb2.NetParameter.FromString((tmp_path / "out").read_bytes()).layer
    assert (video.type, convolution.type, pooling.type) == ("VideoData", "Convolution3D", "Pooling3D")
    assert (list(convolution.blobs[0].data), list(convolution.blobs[0].shape.dim)) == ([1, 2], [1, 1, 1, 1, 2])
    assert pooling.pooling3d_param.kernel_depth == 3
    told = capsys.readouterr().err
    assert (video.image_data_param.batch_size, video.image_data_param.crop_size, video.image_data_param.new_length) == (30, 112, 16)
    assert "forks use such a number for others too" not in told


def test_a_type_of_c3ds_that_is_not_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_bytes(c3ds(("c", 30, message(6, BLOB)), ("d", 34, b"")))
    assert run("upgrade_net_proto_binary", [str(tmp_path / "in"), str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert "no type for d: C3D's DECONVOLUTION3D is not here; needed: the net without this layer" in told
    assert "its number is a fork's own" not in told
