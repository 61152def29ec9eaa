"""The classes, the descriptor set and proto/caffe.proto say the same, and every fork's fields are in it."""

from __future__ import annotations

import csv
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from caffepy.proto import caffe_pb2


def test_attributes_are_those_of_generated_code():
    assert (caffe_pb2.TRAIN, caffe_pb2.TEST) == (0, 1)
    assert caffe_pb2.Phase.Value("TRAIN") == 0
    assert caffe_pb2.Phase.Name(1) == "TEST"
    assert caffe_pb2.V1LayerParameter.CONVOLUTION == 4
    assert caffe_pb2.PoolingParameter.PoolMethod.Name(caffe_pb2.PoolingParameter.AVE) == "AVE"
    assert caffe_pb2.DetectNetGroundTruthParameter.ClassMapping(src=1, dst=2).dst == 2
    assert caffe_pb2.LayerParameter.NAME_FIELD_NUMBER == 1
    assert caffe_pb2._NETPARAMETER is caffe_pb2.NetParameter.DESCRIPTOR
    assert caffe_pb2._V1LAYERPARAMETER_LAYERTYPE.values_by_number[4].name == "CONVOLUTION"
    assert caffe_pb2._PHASE.values_by_name["TEST"].number == 1


def test_messages_go_through_bytes_and_pickle():
    datum = caffe_pb2.Datum(channels=1, height=1, width=2, data=b"ab", label=3)
    assert caffe_pb2.Datum.FromString(datum.SerializeToString()) == datum
    assert pickle.loads(pickle.dumps(datum)) == datum


def test_the_pool_is_private():
    from google.protobuf import descriptor_pool

    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("caffe.NetParameter")


def test_the_descriptor_set_is_compiled_from_the_schema(root, tmp_path):
    brought = root / "build/protoc"  # by tools/dev/make_proto
    protoc = [shutil.which("protoc") or ""]
    if brought.exists():
        protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    elif not protoc[0]:
        pytest.skip("protoc is not here; tools/dev/make_all brings one")
    out = tmp_path / "caffe.desc"
    subprocess.run(
        [*protoc, f"-I{root / 'proto'}", f"--descriptor_set_out={out}", "caffe.proto"],
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(brought)},
    )
    compiled, committed = (
        descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
        for path in (out, root / "caffepy/proto/caffe.desc")
    )
    assert compiled == committed, "run tools/dev/make_all"


def test_numbers_of_bvlc_and_fields_of_forks(shared):
    """Every row of the recorded schemas is here: BVLC's by number, the forks' by name and type."""
    absent = []
    for row in _rows(shared / "reference/caffe-proto.tsv"):
        if row["kind"] == "field":
            field = _field(row["message"], row["name"])
            if field is None or (row["bvlc"] and field.number != int(row["bvlc"])):
                absent.append((row["message"], row["name"]))
        else:
            value = _enum(row["message"]).values_by_name.get(row["name"])
            if value is None or (row["bvlc"] and value.number != int(row["bvlc"])):
                absent.append((row["message"], row["name"]))
    for row in _rows(shared / "reference/fork-fields.tsv"):
        if row["type"] == "enum value":
            if row["field"] not in _enum(row["message"]).values_by_name:
                absent.append((row["message"], row["field"]))
        elif row["field"] != "-" and _field(row["message"], row["field"]) is None:
            absent.append((row["message"], row["field"]))
    assert not absent


def test_importing_the_room_loads_no_heavy_library(root):
    code = (
        "import sys, caffepy.proto.text; assert 'numpy' not in sys.modules, 'numpy';"
        "import caffepy.proto.weights, caffepy.proto.solver_state;"
        "assert not {'torch', 'cv2', 'h5py'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=root)


def _rows(path: Path):
    with open(path, encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _message(name):
    return caffe_pb2.DESCRIPTOR.pool.FindMessageTypeByName(f"caffe.{name}")


def _field(message, name):
    return _message(message).fields_by_name.get(name)


def _enum(name):
    return caffe_pb2.DESCRIPTOR.pool.FindEnumTypeByName(f"caffe.{name}")
