"""Each way of dividing the data: N ranks train as one process does on the union of their batches, and test as it does."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import cv2
import lmdb
import numpy as np
import pytest

from caffepy.data.datum import decode
from caffepy.data.shard import CONTIGUOUS, FILES, Shard, Walk
from caffepy.data.stores import open_read, open_write
from tests.mpi.jobs import RECORDS, ROUNDING, database, quick_net, smooth_net, solver, train, worst_difference
from tests.mpi.launch import Finished, finish, run_ranks, start, under_mpirun
from tests.warm.start import python

pytestmark = pytest.mark.mpi

BATCH = 12
SIZES = (2, 3, 4)
UNTESTED = "base_lr: 0.02 test_interval: 100 test_initialization: false"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, a net for each number of ranks, and the training of one process, ``alone``."""
    folder = database(tmp_path_factory, "job", **{f"net{ranks}": smooth_net(BATCH // ranks) for ranks in (1, *SIZES)})
    run(folder, "alone", net="net1.prototxt")
    return folder


def run(folder: Path, prefix: str, *words: str, net: str, ranks: int = 0, more: str = UNTESTED) -> Finished:
    (folder / f"{prefix}.prototxt").write_text(solver(prefix, net=net, more=more))
    job = train(folder, "-solver", f"{prefix}.prototxt", *words, ranks=ranks)
    assert job.code == 0, job.err
    return job


def apart(folder: Path, first: str, second: str) -> float:
    return worst_difference(*(folder / f"{prefix}_iter_20.caffemodel" for prefix in (first, second)))


def copy_records(folder: Path, name: str, keys: list[int]) -> None:
    """A database of these records of ``folder/db``, in this order."""
    with lmdb.open(str(folder / "db"), readonly=True, lock=False) as env, env.begin() as txn:
        records = [txn.get(b"%08d" % key) for key in keys]
    with lmdb.open(str(folder / name), map_size=1 << 25) as env, env.begin(write=True) as txn:
        for i, record in enumerate(records):
            txn.put(b"%08d" % i, record)


def union(folder: Path, name: str, read: list[np.ndarray], batch: int) -> str:
    """A net for one process over what all ranks read of each batch, one after another; its name."""
    rounds = [places[start : start + batch] % RECORDS for start in range(0, len(read[0]), batch) for places in read]
    copy_records(folder, name, np.concatenate(rounds).tolist())
    text = smooth_net(BATCH)
    (folder / f"{name}.prototxt").write_text(text.replace('source: "db"', f'source: "{name}"', 1))
    return f"{name}.prototxt"


@pytest.mark.parametrize("ranks", SIZES)
@pytest.mark.parametrize("mode", ["record", "batch"])
def test_in_turn(folder: Path, mode: str, ranks: int) -> None:
    run(folder, f"{mode}{ranks}", "-shard", mode, net=f"net{ranks}.prototxt", ranks=ranks)
    assert apart(folder, "alone", f"{mode}{ranks}") < ROUNDING


@pytest.mark.parametrize("ranks", SIZES)
def test_contiguous(folder: Path, ranks: int) -> None:
    """One process on the first record of every part, then the second of every part, and so on, as `Walk` says."""
    batch = BATCH // ranks
    read = [Walk(Shard(rank, ranks, CONTIGUOUS), RECORDS).take(20 * batch) for rank in range(ranks)]
    assert all(set((places % RECORDS).tolist()) <= set(range(rank * RECORDS // ranks, -(-(rank + 1) * RECORDS // ranks)))
               for rank, places in enumerate(read)), "48 records are parts of equal size"  # fmt: skip
    run(folder, f"whole{ranks}", net=union(folder, f"parts{ranks}", read, batch))
    assert apart(folder, f"whole{ranks}", "alone") > 1e-3, "another order is another training"
    run(folder, f"contiguous{ranks}", "-shard", "contiguous", net=f"net{ranks}.prototxt", ranks=ranks)
    assert apart(folder, f"whole{ranks}", f"contiguous{ranks}") < ROUNDING


@pytest.mark.parametrize("ranks", SIZES)
@pytest.mark.parametrize("name", ["split", "own%#of%*"])
def test_files(folder: Path, ranks: int, name: str) -> None:
    """Rank r has every record r, r + size, ... of the database, and one more at its end for r = 0: parts may differ in length."""
    batch, prefix = BATCH // ranks, f"{name[:3]}{ranks}"
    keys = [list(range(rank, RECORDS, ranks)) + [0] * (rank == 0) for rank in range(ranks)]
    for rank, mine in enumerate(keys):
        own = f"{prefix}_{rank}" if name == "split" else f"{prefix}{rank}of{ranks}"
        copy_records(folder, own, mine)
    source = prefix if name == "split" else f"{prefix}%#of%*"
    (folder / f"{prefix}.prototxt").write_text(smooth_net(batch).replace('source: "db"', f'source: "{source}"', 1))
    read = [np.array([mine[i % len(mine)] for i in range(20 * batch)]) for mine in keys]
    run(folder, f"u{prefix}", net=union(folder, f"union{prefix}", read, batch))
    words = ("-shard", FILES) if name == "split" else ()
    text = (folder / f"{prefix}.prototxt").read_text().replace('source: "db"', 'source: "db" shared_file_system: true')
    (folder / f"{prefix}.net").write_text(text)
    run(folder, f"f{prefix}", *words, net=f"{prefix}.net", ranks=ranks)
    assert apart(folder, f"u{prefix}", f"f{prefix}") < ROUNDING


@pytest.mark.parametrize("mode", ["record", "batch"])
def test_shuffled(folder: Path, mode: str) -> None:
    if not (folder / "shuffled_iter_20.caffemodel").exists():
        run(folder, "shuffled", "-shuffle", net="net1.prototxt")
        assert apart(folder, "shuffled", "alone") > 1e-3
    run(folder, f"{mode}s", "-shuffle", "-shard", mode, net="net3.prototxt", ranks=3)
    assert apart(folder, "shuffled", f"{mode}s") < ROUNDING


@pytest.mark.parametrize("mode", ["record", "batch"])
def test_shuffled_images(folder: Path, mode: str) -> None:
    """Each rank's random stream is another, and the order of the records is the same for all."""
    if not (folder / "images_iter_20.caffemodel").exists():
        with open_read(str(folder / "db"), "lmdb") as store:
            for i, (_, value) in enumerate(store.items()):
                cv2.imwrite(str(folder / f"{i}.png"), decode(value).image().transpose(1, 2, 0))
        (folder / "list.txt").write_text("".join(f"{i}.png {i % 10}\n" for i in range(RECORDS)))
        for size in (1, 3):
            text = f'source: "list.txt" shuffle: true batch_size: {BATCH // size}'
            net = smooth_net(BATCH // size).replace('type: "Data"', 'type: "ImageData"', 1)
            (folder / f"images{size}.net").write_text(re.sub(r"data_param \{[^}]*\}", f"image_data_param {{ {text} }}", net, count=1))
        run(folder, "images", net="images1.net")
        assert apart(folder, "images", "alone") > 1e-3
    run(folder, f"images{mode}", "-shard", mode, net="images3.net", ranks=3)
    assert apart(folder, "images", f"images{mode}") < ROUNDING


def test_a_shuffled_run_goes_on(folder: Path) -> None:
    run(folder, "through", "-shuffle", net="net2.prototxt", ranks=2, more=f"{UNTESTED} snapshot: 10")
    run(folder, "resumed", "-shuffle", "-snapshot", "through_iter_10.solverstate", net="net2.prototxt", ranks=2)
    assert apart(folder, "through", "resumed") == 0


def scores_of(job: Finished) -> list[str]:
    """The results of all tests."""
    return re.findall(r"Test net output #\d+: (.*)", job.err)


@pytest.mark.parametrize("ranks", SIZES)
def test_tests_are_divided_and_give_what_one_process_finds(folder: Path, ranks: int) -> None:
    """7 batches of a test, a multiple of no number of ranks, of a net that stays as it is."""
    more = "test_iter: 7 test_interval: 1 base_lr: 0 max_iter: 4"
    (folder / "test.net").write_text(quick_net(5))
    alone = run(folder, "t", net="test.net", more=more)
    job = run(folder, f"t{ranks}", net="test.net", ranks=ranks, more=more)
    assert len(scores_of(alone)) == 10
    assert scores_of(job) == scores_of(alone)
    assert len(set(scores_of(alone))) > 4, "each test goes on where the last one ended"


def test_a_divided_test_goes_on(folder: Path) -> None:
    more = "test_iter: 5 test_interval: 5 snapshot: 10"
    (folder / "test.net").write_text(quick_net(5))
    whole = run(folder, "u", net="test.net", ranks=3, more=more)
    rest = run(folder, "v", "-snapshot", "u_iter_10.solverstate", net="test.net", ranks=3, more=more)
    assert scores_of(whole)[-6:] == scores_of(rest)[-6:]


def test_the_command_test_is_divided_too(folder: Path) -> None:
    (folder / "test.net").write_text(quick_net(5))
    words = ("test", "-model", "test.net", "-weights", "alone_iter_20.caffemodel", "-iterations", "7")
    found = []
    for launch in ([], under_mpirun(3)):
        job = finish(start([*launch, *python(), "-m", "caffepy.cli.main", "caffe", *words], cwd=folder), limit_s=60)
        assert job.code == 0, job.err
        found.append([line.split("] ", 1)[1] for line in job.err.splitlines() if "caffe.cpp:3" in line])
    assert found[0] == found[1]
    assert len(found[0]) == 7 * 2 + 3


@pytest.mark.parametrize("readers", [1, 2, 3])
def test_readers_change_nothing(folder: Path, readers: int) -> None:
    """One that serves both ranks, one for each, and two for one of them; tests too."""
    more = f"{UNTESTED} test_iter: 3".replace("test_interval: 100", "test_interval: 10")
    if not (folder / "unread_iter_20.caffemodel").exists():
        run(folder, "unread", "-shuffle", net="net2.prototxt", ranks=2, more=more)
    job = run(folder, f"read{readers}", "-shuffle", "-readers", str(readers), net="net2.prototxt", ranks=2, more=more)
    assert (
        f"shard record: every rank takes one record in turn (BVLC Caffe, Intel Caffe, Caffe-MPI 1.0), shuffled for each epoch, by {readers}"
        in job.err
    )
    assert apart(folder, "unread", f"read{readers}") == 0


def test_readers_of_one_process(folder: Path) -> None:
    run(folder, "one", "-readers", "2", net="net1.prototxt")
    assert apart(folder, "alone", "one") == 0


HOSTS = """
from caffepy.solver.setup.feeding import Feeding
from caffepy.solver.solver import Solver
if "{hosts}" == "two":  # as far as memory goes
    c.groups, c.local_rank, c.local_size = ((0,), (1, 2)), max(0, c.rank - 1), 1 + (c.rank > 0)
solver = Solver.from_file("{prefix}.prototxt", communicator=c, feeding=Feeding(in_memory=True, shuffle={shuffle}))
solver.solve()
solver.close()
"""


@pytest.mark.parametrize("hosts", ["one", "two"])
@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_records_in_the_memory_of_the_hosts(folder: Path, hosts: str, backend: str) -> None:
    """Shuffled, so that each rank reads from both."""
    if backend == "leveldb" and not (folder / "level").exists():
        with open_read(str(folder / "db"), "lmdb") as store, open_write(str(folder / "level"), backend) as writer:
            for key, value in store.items():
                writer.put(key, value)
    shuffle, prefix = backend == "lmdb", f"memory{hosts}{backend}"
    text = smooth_net(BATCH // 3)
    if backend == "leveldb":
        text = text.replace('source: "db"', 'source: "level"').replace("backend: LMDB", "backend: LEVELDB")
    (folder / f"{prefix}.net").write_text(text)
    (folder / f"{prefix}.prototxt").write_text(solver(prefix, net=f"{prefix}.net", more=UNTESTED.replace("100", "10")))
    if shuffle and not (folder / "shuffled_iter_20.caffemodel").exists():
        run(folder, "shuffled", "-shuffle", net="net1.prototxt")
    job = run_ranks(3, HOSTS.format(hosts=hosts, prefix=prefix, shuffle=shuffle), cwd=folder)
    assert job.code == 0, job.err
    assert apart(folder, "shuffled" if shuffle else "alone", prefix) < ROUNDING


@pytest.mark.parametrize("hosts", ["one", "two"])
def test_raw_images_in_the_memory_of_the_hosts(folder: Path, hosts: str) -> None:
    """The same pictures without the database, as CaffeGPI has them."""
    prefix, fields = f"raw{hosts}", 'source: "images.bin" label: "labels.txt" new_height: 32 new_width: 32 headerSize: 0'
    with open_read(str(folder / "db"), "lmdb") as store:
        pictures = [decode(value).image()[::-1].transpose(1, 2, 0).tobytes() for _, value in store.items()]
    (folder / "images.bin").write_bytes(b"".join(pictures))
    (folder / "labels.txt").write_text("\n".join(str(i % 10) for i in range(RECORDS)))
    net = smooth_net(BATCH // 3).replace('type: "Data"', 'type: "ParallelInMemData"', 1)
    text = f"parallel_inmem_data_param {{ {fields} batch_size: {BATCH // 3} }}"
    (folder / f"{prefix}.net").write_text(re.sub(r"data_param \{[^}]*\}", text, net, count=1))
    (folder / f"{prefix}.prototxt").write_text(solver(prefix, net=f"{prefix}.net", more=UNTESTED))
    job = run_ranks(3, HOSTS.format(hosts=hosts, prefix=prefix, shuffle=False).replace("in_memory=True", "in_memory=False"), cwd=folder)
    assert job.code == 0, job.err
    assert apart(folder, "alone", prefix) < ROUNDING


def test_the_command_loads_them_too(folder: Path) -> None:
    run(folder, "loaded", "-in_memory", net="net2.prototxt", ranks=2)
    assert apart(folder, "alone", "loaded") < ROUNDING


def test_a_dead_reader_ends_the_job_with_one_message(folder: Path) -> None:
    (folder / "dead.prototxt").write_text(solver("dead", net="net2.prototxt", more=f"{UNTESTED} max_iter: 100000"))
    command = [*under_mpirun(2), sys.executable, "-m", "caffepy.cli.main", "caffe", "train", "-solver", "dead.prototxt", "-readers", "1"]
    job = start(command, cwd=folder)
    assert job.stderr is not None
    lines = iter(job.stderr.readline, "")
    assert any("Iteration 20" in line for line in lines)
    (reader,) = descendants(job.pid, "caffepy.data.reader_process")
    os.kill(reader, signal.SIGKILL)
    ended = finish(job, limit_s=30)
    assert ended.code == 1
    (message,) = ended.fatal()
    assert re.fullmatch(rf"rank \d on .*: .*reader process {reader} on .* has died; needed: all that -readers started", message)


def descendants(pid: int, word: str) -> list[int]:
    """Processes below ``pid`` whose command has ``word``."""
    found = []
    for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        if word in Path(f"/proc/{child}/cmdline").read_text():
            found.append(child)
        found += descendants(child, word)
    return found


def fails(folder: Path, *words: str, net: str, ranks: int, more: str = "") -> str:
    (folder / "f.prototxt").write_text(solver("f", net=net, more=more))
    job = train(folder, "-solver", "f.prototxt", *words, ranks=ranks, limit_s=60, warm=False)
    assert job.code == 1, job.err
    assert "Traceback" not in job.err
    (message,) = job.fatal()
    return message


def test_what_cannot_be_divided_is_said_once(folder: Path) -> None:
    assert re.search(
        "rank . on .*layer 'cifar'.*'db_.' of rank . does not exist", fails(folder, "-shard", "files", net="net2.prototxt", ranks=2)
    )
    assert "-shard recrod: unknown; needed: one of batch, contiguous, files, record; nearest: 'record'" in fails(
        folder, "-shard", "recrod", net="net2.prototxt", ranks=0
    )
    copy_records(folder, "three", [0, 1, 2])
    (folder / "few.net").write_text(quick_net(4).replace('source: "db"', 'source: "three"'))
    assert "'three' has 3 record(s) for 4 ranks; needed" in fails(folder, net="few.net", ranks=4)
    (folder / "number.net").write_text(quick_net(4).replace('source: "db"', 'source: "own%#"'))
    assert "needed: several ranks, or a plain name" in fails(folder, net="number.net", ranks=0)
