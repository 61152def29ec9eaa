"""The writers of a training's numbers."""

from __future__ import annotations

import json
import math
import resource
import struct
from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.proto import wire
from caffepy.report.metrics import JsonLines, NetOutputs, TensorBoard, by_name, crc32c, masked, writers


def test_names_that_come_again() -> None:
    assert by_name([("loss", 1.0), ("red", 2.0), ("red", 3.0), ("red", 4.0)]) == {"loss": 1.0, "red": 2.0, "red[1]": 3.0, "red[2]": 4.0}


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    for _ in range(2):  # a resumed training goes on in the file
        writer = JsonLines(str(path))
        writer.write(10, "train", [("loss", 0.5), ("lr", math.nan)])
        writer.write(10, "test", [("accuracy", 1.0)])
        writer.close()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    times = [row.pop("time") for row in rows]
    assert (
        rows
        == [
            {"iteration": 10, "net": "train", "loss": 0.5, "lr": None},
            {"iteration": 10, "net": "test", "accuracy": 1.0},
        ]
        * 2
    )
    assert times == sorted(times)


def test_another_file_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "solver.prototxt"
    path.write_text('net: "n.prototxt"\n')
    with pytest.raises(DataError, match=f"{path} is no file of such numbers.*; needed: a new file"):
        JsonLines(str(path))
    assert path.read_text() == 'net: "n.prototxt"\n'
    path.write_text("")
    JsonLines(str(path)).close()


def test_net_outputs(tmp_path: Path) -> None:
    for iteration in (0, 10):  # a resumed training goes on in the file
        writer = NetOutputs(str(tmp_path / "run"))
        writer.write(iteration, "train", [("smoothed_loss", 0.5), ("loss", 0.25), ("red", 1.0), ("lr", 0.1), ("sent_bytes", 7)])
        writer.write(iteration, "test", [("accuracy", 1.0)])
        writer.write(iteration, "train", [("smoothed_loss", 0.5)])  # at the very end there are no outputs
        writer.close()
    head, *rows = (tmp_path / "run.netoutputs").read_text().splitlines()
    assert head == "Iteration,time,loss,loss,red"
    assert [row.split(",")[:1] + row.split(",")[2:] for row in rows] == [["0", "0.5", "0.25", "1"], ["10", "0.5", "0.25", "1"]]


def test_checksum() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value that definitions of CRC-32C give


def records(content: bytes) -> list[bytes]:
    found = []
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        assert struct.unpack("<I", content[8:12])[0] == masked(crc32c(content[:8]))
        found.append(content[12 : 12 + length])
        assert struct.unpack("<I", content[12 + length : 16 + length])[0] == masked(crc32c(found[-1]))
        content = content[16 + length :]
    return found


def fields(content: bytes) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for entry in wire.scan(memoryview(content), 0, len(content)):
        found.setdefault(entry.number, []).append(content[entry.start : entry.end])
    return found


def test_event_file(tmp_path: Path) -> None:
    writer = TensorBoard(str(tmp_path / "runs/a"))
    writer.write(300, "train", [("loss", 0.5), ("lr", 0.25)])
    writer.close()
    (file,) = (tmp_path / "runs/a").iterdir()
    assert file.name.startswith("events.out.tfevents.")
    head, step = (fields(record) for record in records(file.read_bytes()))
    assert head[3] == [b"brain.Event:2"]
    assert struct.unpack("<d", step[1][0])[0] > 1.6e9
    assert wire.read_varint(memoryview(step[2][0]), 0, len(step[2][0])) == (300, 2)
    scalars = [fields(value) for value in fields(step[5][0])[1]]
    assert [(value[1][0], struct.unpack("<f", value[2][0])[0]) for value in scalars] == [(b"train/loss", 0.5), (b"train/lr", 0.25)]


def test_tensorboard_reads_it(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    writer = TensorBoard(str(tmp_path))
    for step in (0, 100):
        writer.write(step, "test", [("accuracy", step / 200)])
    writer.close()
    read = accumulator.EventAccumulator(str(tmp_path)).Reload()
    assert [(found.step, found.value) for found in read.Scalars("test/accuracy")] == [(0, 0.0), (100, 0.5)]


def test_files_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataError, match="cannot write it: No such file"):
        JsonLines(str(tmp_path / "none/m.jsonl"))
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot make this folder"):
        TensorBoard(str(tmp_path / "file"))
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    writer = JsonLines("/dev/full")
    for _ in range(2):
        writer.write(0, "train", [("loss", 1.0)])
    writer.close()
    assert capsys.readouterr().err.count("No space left on device; no more numbers are written to it") == 1


def test_a_disk_that_fills_up_in_a_record_leaves_whole_ones(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    before, writer = resource.getrlimit(resource.RLIMIT_FSIZE), JsonLines(str(path))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        for iteration in range(100):
            writer.write(iteration, "train", [("loss", 1.5)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record["iteration"] for record in records] == list(range(len(records)))
    assert 900 < path.stat().st_size <= 1000


def test_writers_that_are_asked_for(tmp_path: Path) -> None:
    with writers("", "") as found:
        assert found == []
    with writers(str(tmp_path / "m.jsonl"), str(tmp_path / "tb")) as found:
        assert [type(writer) for writer in found] == [JsonLines, TensorBoard]
    found[0].write(0, "train", [("loss", 1.0)])
    assert (tmp_path / "m.jsonl").read_bytes() == b""  # it is closed
