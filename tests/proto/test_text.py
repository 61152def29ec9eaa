"""Reading prototxt files: what is accepted, and the one line said about what is not."""

from __future__ import annotations

import csv
import re

import google.protobuf
import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2, text

NET = """name: "n"
layer {
  name: "data"
  type: "Input"
  top: "data"
  input_param { shape { dim: 1 dim: 3 } }
}
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }
"""


def parse(source, kind=caffe_pb2.NetParameter):
    message = kind()
    text.parse(source, message, file="x.prototxt")
    return message


def refusal(source, kind=caffe_pb2.NetParameter):
    with pytest.raises(PrototxtError) as caught:
        parse(source, kind)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_net_and_its_places(tmp_path):
    path = tmp_path / "net.prototxt"
    path.write_text(NET)
    net, places = text.read_net(path)
    assert [layer.name for layer in net.layer] == ["data", "ip"]
    assert places.where("layer", 0) == f"{path}:2:1"
    assert places.where("layer", 1, "bottom", 0) == f"{path}:8:41"


@pytest.mark.parametrize(
    "data",
    [
        NET.encode("utf-8-sig"),
        NET.replace("\n", "\r\n").encode(),
        b"# \xcd\xf8\xc2\xe7 in GBK\n" + NET.encode(),
        NET.replace("dim: 1 dim: 3", "dim: [1, 3],").encode(),
        NET.replace("dim: 1 dim: 3", "dim: 0x1; dim: 03")
        .replace("shape {", "shape: <")
        .replace("3 }", "3 >")
        .encode(),
    ],
    ids=[
        "byte order mark",
        "crlf",
        "comment in GBK",
        "list",
        "hex, octal, angle brackets, semicolons",
    ],
)
def test_files_as_people_save_them(tmp_path, data):
    path = tmp_path / "net.prototxt"
    path.write_bytes(data)
    net, _ = text.read_net(path)
    assert list(net.layer[0].input_param.shape[0].dim) == [1, 3]


def test_escapes():
    assert parse(r"""name: "a\\d\n\x41\101\"'\303\251" """).name == "a\\d\nAA\"'é"
    assert "invalid escape sequence \\9 " in refusal(r'name: "\\\9"')
    assert "invalid escape sequence \\777 " in refusal(r'name: "\777"')


@pytest.mark.skipif(
    int(google.protobuf.__version__.partition(".")[0]) < 5,
    reason="protobuf 4 knows these escapes in C++ only",
)
def test_escapes_of_unicode():
    assert parse(r'name: "\u00e9"').name == "é"


def test_unknown_field_names_the_nearest():
    assert refusal("layer {\n  convolution_param { kernal_size: 3 }\n}") == (
        "x.prototxt:2:23: message 'caffe.ConvolutionParameter' has no field 'kernal_size'; nearest: 'kernel_size'"
    )


def test_unknown_enum_value_lists_the_known():
    assert refusal("layer { pooling_param { pool: MEAN } }") == (
        "x.prototxt:1:31: enum 'caffe.PoolingParameter.PoolMethod' has no value MEAN (known: MAX, AVE, STOCHASTIC)"
    )


def test_a_field_or_value_of_a_fork_alone_is_named():
    assert refusal('layer { name: "a" type: "VideoData" video_data_param { show_data: 1 } }') == (
        "x.prototxt:1:56: layer 'a' (VideoData): message 'caffe.VideoDataParameter' has no field 'show_data' (fork: facebook/C3D)"
    )
    assert refusal("layers { name: 'k' type: TOPK }").startswith(
        "x.prototxt:1:26: layer 'k' (TOPK): "
    )
    assert "has no value TOPK (fork: an unmerged change to BVLC Caffe)" in refusal(
        "layers { name: 'k' type: TOPK }"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "layer { fixed_param { } }",
            "message 'caffe.LayerParameter' has no field 'fixed_param' (fork: caffe-xilinx)",
        ),
        (
            "layers { type: DECONVOLUTION3D }",
            "enum 'caffe.V1LayerParameter.LayerType' has no value DECONVOLUTION3D (fork: facebook/C3D); nearest way: Deconvolution, which takes volumes (N, C, D, H, W)",
        ),
        (
            "layers { strict_dim: false }",
            "message 'caffe.V1LayerParameter' has no field 'strict_dim' (fork: DeepLab's first Caffe)",
        ),
    ],
)
def test_a_name_that_resembles_a_forks_is_no_advice(source, said):
    assert refusal(source).endswith(said)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("name: lenet", "x.prototxt:1:7: expected a string, found lenet; put it in quotes"),
        (
            "layer { name: 'a'\n  name: 'b' }",
            "x.prototxt:2:3: layer 'a': field 'name' of message 'caffe.LayerParameter' is given twice",
        ),
        ("layer { name: 'a'", "the file ends inside this message"),
        (
            "layer { inner_product_param { num_output: 2.5 } }",
            "x.prototxt:1:43: expected an integer, found 2.5",
        ),
        (
            "layer { inner_product_param { num_output: [2, 3] } }",
            "x.prototxt:1:43: a list is given; needed: one integer",
        ),
        ("layer { lrn_param { alpha: x } }", "x.prototxt:1:28: expected a number, found x"),
        ('layer { name: ["a", "b"] }', "x.prototxt:1:15: a list is given; needed: one string"),
        (
            "layer { pooling_param { pool: [MAX] } }",
            "x.prototxt:1:31: a list is given; needed: one value",
        ),
        (
            "layer { clip_param { min: 1 } }",
            "x.prototxt:1:9: required field 'layer[0].clip_param.max' is missing",
        ),
        (
            "layer { type: CONVOLUTION }",
            "x.prototxt:1:15: layer '' (CONVOLUTION): expected a string, found CONVOLUTION",
        ),
        (
            'layers { type: "Data" }',
            "x.prototxt:1:16: layer '' (Data): enum 'caffe.V1LayerParameter.LayerType' has no value \"Data\"; text in quotes",
        ),
        (
            r'layer { python_param { module: "C:\data" } }',
            r"x.prototxt:1:35: invalid escape sequence \d in a string; a backslash itself is written \\",
        ),
        ("}", "x.prototxt:1:1: expected identifier"),
    ],
)
def test_refusals(source, said):
    assert said in refusal(source)


def test_files_that_cannot_be_read(tmp_path):
    missing, binary, latin = (
        tmp_path / "no.prototxt",
        tmp_path / "a.caffemodel",
        tmp_path / "latin.prototxt",
    )
    binary.write_bytes(b"\x0a\x01a\x00")
    latin.write_bytes(b'# ok: \xe9\nname: "caf\xe9"')
    for path, said in (
        (missing, "File not found: "),
        ("", "File not found: "),
        (binary, "binary file"),
        (tmp_path, "cannot read"),
        (latin, ":2:11: byte 0xe9"),
    ):
        with pytest.raises(PrototxtError, match=said):
            text.read_net(path)


def test_a_solver_gets_a_snapshot_prefix_and_upgraded_nets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.prototxt").write_text(
        'solver_type: ADAM\nnet_param {\n layers { name: "d" type: DATA top: "x" } }'
    )
    solver, places = text.read_solver("s.prototxt")
    assert (solver.type, solver.snapshot_prefix) == ("Adam", "s")
    assert solver.net_param.layer[0].type == "Data"
    assert places.within("net_param").where("layer", 0, "top", 0) == "s.prototxt:3:32"
    (tmp_path / "s.prototxt").write_text('snapshot_prefix: "."')
    assert text.read_solver("s.prototxt")[0].snapshot_prefix == "./s"


def test_written_text_is_read_back(tmp_path):
    net = parse(NET)
    text.write_text(tmp_path / "out.prototxt", net)
    assert text.read_net(tmp_path / "out.prototxt")[0] == net


@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(["layer", "{", "}", ":", '"a"', "name", "1", "[", "]", ",", "#", "'"])
    ).map(" ".join)
)
def test_any_text_is_parsed_or_refused_in_one_line(source):
    try:
        message = parse(source)
    except PrototxtError:
        assert refusal(source).startswith("x.prototxt:")
    else:
        assert parse(text.to_text(message)) == message


def test_every_wild_file_that_caffe_parses_parses(shared):
    with open(shared / "wild/prototxt/INDEX.tsv", encoding="utf-8") as index:
        rows = list(csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        if row["BVLC 1.0 protoc verdict"] == "parses":
            message = (
                caffe_pb2.SolverParameter() if "solver" in row["kind"] else caffe_pb2.NetParameter()
            )
            text.read_text(shared / "wild" / row["file"], message)
            assert message.ListFields(), row["file"]


def test_places_in_wild_nets_are_where_the_names_stand(shared):
    for path in sorted((shared / "wild/prototxt/bvlc").glob("*.prototxt")):
        written = caffe_pb2.NetParameter()
        try:
            text_format.Parse(path.read_text(), written)
        except text_format.ParseError:
            continue
        net, places = text.read_net(path)
        lines = path.read_text().split("\n")
        for index, layer in enumerate(net.layer):
            if layer.type != "Input":
                _, line, column = places.where("layer", index, "name").rsplit(":", 2)
                assert f'"{layer.name}"' in lines[int(line) - 1][int(column) - 1 :].replace(
                    "'", '"'
                )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"\n\n<!doctype HTML>\n<html lang='en'>",
            "this is a web page (HTML), as a browser or a wrong address gives it: fetch the file itself",
        ),
        (b"\xef\xbb\xbf<html>", "this is a web page (HTML)"),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE  html PUBLIC "x">\n<html><p>layer { }',
            "this is a web page (HTML)",
        ),
        (b"<!-- saved --><HTML><p>net: layer { }", "this is a web page (HTML)"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "this is a Git LFS pointer"),
    ],
)
@pytest.mark.parametrize("read", [text.read_net, text.read_solver])
def test_files_that_are_something_else(read, data, said, tmp_path):
    (tmp_path / "x.prototxt").write_bytes(data)
    with pytest.raises(PrototxtError, match=re.escape(f"x.prototxt: {said}")):
        read(tmp_path / "x.prototxt")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_what_windows_wrote(encoding, tmp_path):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "x.prototxt").write_bytes(f'{mark}name: "größe"\r\n# 图\r\n'.encode(encoding))
    assert text.read_net(tmp_path / "x.prototxt")[0].name == "größe"


def test_a_type_that_has_another_name():
    assert refusal("layers { type: SOFTMAXWITHLOSS }").endswith(
        "(fork: Caffe-MPI); nearest way: SOFTMAX_LOSS, as other Caffes write it"
    )
    # ELTWISE alone is a sum
    product = (
        "nearest way: ELTWISE with eltwise_param { operation: PROD }, as other Caffes write it"
    )
    assert refusal("layers { type: ELTWISE_PRODUCT }").endswith(
        f"no value ELTWISE_PRODUCT (fork: facebook/C3D); {product}"
    )


@pytest.mark.parametrize(
    "source",
    [
        "layer { multi_stage_meanfield_param { num_iterations: 5 } }",
        "layers { multi_stage_meanfield_param { num_iterations: 5 } }",
    ],
)
def test_what_is_not_here_names_a_way_around(source):
    assert (
        "(fork: torrvision/crfasrnn); CRF-RNN's mean field is not computed here; needed: the net without this layer"
        in refusal(source)
    )
