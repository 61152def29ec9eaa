"""Two ranks with a GPU each: their iterations are one replay, NCCL's all-reduce in it, and the numbers are those of ranks on CPUs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import torch

from tests.mpi.launch import ROOT, under_mpirun
from tests.solver.job import NET, write_database
from tests.warm.start import python

RANK = """
import json, os, platform, sys
import torch
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.job.join import join_job
from tests.solver.job import solver

device, more = sys.argv[1:]
with join_job(detect(os.environ, platform.node()), os.environ) as communicator:
    place = torch.device(device, communicator.rank) if device == "cuda" else torch.device("cpu")
    if device == "cuda":
        torch.cuda.set_device(place)
    communicator.use_device(place)
    if communicator.rank:
        os.chdir("other")
    ours = solver("max_iter: 12 snapshot_after_train: false " + more, device=place, communicator=communicator)
    ours.step(4)
    before = torch.cuda.counts() if device == "cuda" else ()
    ours.step(4)
    after = torch.cuda.counts() if device == "cuda" else ()
    ours.step(2)
    buckets = len(ours.updates._shared._exchange.buckets)
    found = {"calls": [(now - then) / 4 for then, now in zip(before, after)], "recorded": ours.updates.recorded, "buckets": buckets}
    found["parameters"] = [tensor.detach().cpu().flatten().tolist() for tensor in ours.train_engine.arena.learnable]
    ours.close()
    if communicator.is_root:
        print(json.dumps(found))
"""
pytestmark = [
    pytest.mark.skipif(not hasattr(torch.cuda, "counts"), reason="a real GPU does not count"),
    pytest.mark.timeout(600),  # four ranks, on a machine that may be busy
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """Two working folders, one for each rank's own solver file."""
    pytest.importorskip("lmdb")
    text = NET.replace("mirror: true crop_size: 4", "crop_size: 6").replace("crop_size: 4", "crop_size: 6")
    for place in (tmp_path, tmp_path / "other"):
        place.mkdir(exist_ok=True)
        write_database(place / "db")
        (place / "net.prototxt").write_text(re.sub(r"\nlayer { name: \"drop\".*", "", text))
    return tmp_path


def trained(device: str, more: str, folder: Path) -> dict[str, object]:
    """What rank 0 of two tells."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [*under_mpirun(2), *python(), "-c", RANK, device, more]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("more", ["", "iter_size: 2 clip_gradients: 0.5 weight_decay: 0.01"])
def test_an_iteration_is_one_replay(more: str, folder: Path) -> None:
    ours, plain = trained("cuda", more, folder), trained("cpu", more, folder)
    _, waits, _, replays = ours["calls"]
    assert replays == 1
    assert waits == 0.5  # at the end of a step: for the loss, and for labels that were outside
    assert ours["recorded"]
    for mine, other in zip(ours["parameters"], plain["parameters"], strict=True):
        torch.testing.assert_close(torch.tensor(mine), torch.tensor(other), rtol=1e-3, atol=1e-4)
