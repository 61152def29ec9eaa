"""Both backends: what is written is read in key order, and nothing half-written has a final name."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from caffepy.data.stores import BACKENDS, db_leveldb, open_read, open_write
from caffepy.data.stores.base import Writer
from caffepy.data.stores.lmdb_copy import own_lmdb
from caffepy.errors import DataError

backends = pytest.mark.parametrize("backend", BACKENDS)


def fill(path: Path, backend: str, records: int = 5, *, size: int = 3) -> str:
    with open_write(str(path), backend) as writer:
        for i in reversed(range(records)):
            writer.put(b"%08d" % i, bytes([i % 256]) * size)
    return str(path)


@backends
def test_names_that_are_no_text(tmp_path: Path, backend: str) -> None:
    path = tmp_path / os.fsdecode(b"db\xff")
    with open_read(fill(path, backend), backend) as store:
        assert len(store) == 5
    assert os.listdir(tmp_path) == [path.name]


@backends
def test_records_come_in_key_order_and_go_round(tmp_path: Path, backend: str) -> None:
    with open_read(fill(tmp_path / "db", backend), backend) as store:
        assert len(store) == 5
        assert [key for key, _ in store.items()] == [b"%08d" % i for i in range(5)]
        cursor = store.cursor()
        assert [bytes(v)[0] for v in cursor.take(3)] == [0, 1, 2]
        assert (cursor.position, cursor.wraps) == (3, 0)
        cursor.skip(1)
        assert [bytes(v)[0] for v in cursor.take(8)] == [4, 0, 1, 2, 3, 4, 0, 1]
        assert cursor.wraps == 2
        cursor.skip(14)
        assert [bytes(v)[0] for v in cursor.take(1)] == [1]
        assert bytes(store.first())[0] == 0
        assert store.key(3) == "00000003"


@backends
def test_a_store_can_be_opened_twice(tmp_path: Path, backend: str) -> None:
    path = fill(tmp_path / "db", backend)
    first, second = open_read(path, backend), open_read(path, backend)
    one, other = first.cursor(), second.cursor()
    assert bytes(one.take(1)[0]) == bytes(other.take(1)[0])
    first.close()
    assert bytes(other.take(1)[0]) == b"\x01\x01\x01"


def test_an_lmdb_that_a_script_has_open(tmp_path: Path) -> None:
    """Before and after a net opens it."""
    path = tmp_path / "db"
    with lmdb.open(str(path), map_size=1 << 20) as written:
        with written.begin(write=True) as transaction:
            transaction.put(b"0", b"value")
        with open_read(str(path), "lmdb") as store:
            assert bytes(store.first()) == b"value"
    with (
        open_read(str(path), "lmdb") as store,
        lmdb.open(str(path), readonly=True) as looked_at,
        looked_at.begin() as transaction,
    ):
        assert transaction.get(b"0") == bytes(store.first()) == b"value"


@pytest.mark.parametrize("lacking", ["library", "memory"])
def test_lmdb_itself_where_it_cannot_be_copied(
    monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    def refused(name: str) -> int:
        raise PermissionError(name)

    if lacking == "library":
        monkeypatch.delitem(sys.modules, "lmdb.cpython")
    else:
        monkeypatch.setattr("os.memfd_create", refused)
    assert own_lmdb.__wrapped__() is lmdb


@backends
def test_a_block_that_raises_leaves_nothing(tmp_path: Path, backend: str) -> None:
    def fails() -> None:
        with open_write(str(tmp_path / "db"), backend) as writer:
            writer.put(b"k", b"v")
            writer.put(b"k", None)

    with pytest.raises(TypeError):
        fails()
    assert os.listdir(tmp_path) == []


@backends
def test_a_killed_writer_leaves_nothing_under_the_final_name_and_the_next_one_nothing_of_it(
    tmp_path: Path, backend: str
) -> None:
    script = f"""
import os
from caffepy.data.stores import open_write
writer = open_write("db", "{backend}")
writer.put(b"k", b"v")
writer.commit()
os.kill(os.getpid(), 9)
"""
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        timeout=60,
    )
    left = os.listdir(tmp_path)
    assert len(left) == 1
    assert left[0].startswith("db.tmp.")
    fill(tmp_path / "db", backend)
    assert os.listdir(tmp_path) == ["db"]


@backends
def test_an_existing_database_is_left_as_it_is(tmp_path: Path, backend: str) -> None:
    path = fill(tmp_path / "db", backend)
    with pytest.raises(DataError, match=r"db"):
        open_write(path, backend)
    with open_read(path, backend) as store:
        assert len(store) == 5


def test_a_folder_without_database_is_taken_by_leveldb_only(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "x").write_text("kept")
    with pytest.raises(DataError, match=r"mkdir .* failed"):
        open_write(str(tmp_path / "db"), "lmdb")
    with open_read(fill(tmp_path / "db", "leveldb"), "leveldb") as store:
        assert len(store) == 5
    assert (tmp_path / "db" / "x").read_text() == "kept"
    assert [name for name in os.listdir(tmp_path) if "tmp" in name] == []


@pytest.mark.parametrize(("backend", "other"), [("lmdb", "leveldb"), ("leveldb", "lmdb")])
def test_the_other_kind(tmp_path: Path, backend: str, other: str) -> None:
    with pytest.raises(DataError, match="use backend"):
        open_read(fill(tmp_path / "db", other), backend)


@backends
def test_a_folder_that_may_not_be_entered(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "db").mkdir()
    # whoever runs the tests may be allowed everything
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DataError, match="db' cannot be read: Permission denied"):
        open_read(str(tmp_path / "db"), backend)


@backends
def test_missing_and_empty(tmp_path: Path, backend: str) -> None:
    with pytest.raises(DataError, match=f"nowhere.*looked in {os.getcwd()}"):
        open_read("nowhere", backend)
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="folder' holds no L"):
        open_read(str(tmp_path / "folder"), backend)
    (tmp_path / "folder" / "file").write_bytes(b"")
    with pytest.raises(DataError, match="file' is a file; needed: the folder of a database"):
        open_read(str(tmp_path / "folder" / "file"), backend)
    with pytest.raises(
        DataError, match="give the folder of a database, written out: '~' stands for itself here"
    ):
        open_read("~/db", backend)
    (tmp_path / "folder" / "file").unlink()
    assert os.listdir(tmp_path / "folder") == []
    with (
        open_read(fill(tmp_path / "empty", backend, 0), backend) as store,
        pytest.raises(DataError, match="holds no record"),
    ):
        store.cursor()


def test_unknown_backend() -> None:
    with pytest.raises(DataError, match=r"Unknown database backend 'lmbd'; nearest: 'lmdb'"):
        open_read("x", "lmbd")


def test_leveldb_held_by_another_process(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "leveldb")
    # the lock is the same whether another process or another handle holds it
    held = db_leveldb.library().DB(path)
    with pytest.raises(
        DataError, match="one at a time: use LMDB where several processes read, or train -readers 1"
    ):
        open_read(path, "leveldb")
    held.close()


@pytest.mark.parametrize("kept", db_leveldb.LIBRARIES)
def test_either_library_reads_and_writes_leveldb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """The one that this Python has no wheel of is stood in for by the other: their names are the same."""
    library = db_leveldb.library()
    for name in db_leveldb.LIBRARIES:
        monkeypatch.setitem(sys.modules, name, library if name == kept else None)
    with open_read(fill(tmp_path / "db", "leveldb"), "leveldb") as store:
        assert len(store) == 5


def test_without_a_library_for_leveldb_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in db_leveldb.LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "CURRENT").write_text("MANIFEST-000001\n")
    message = r"^LevelDB needs the Python package 'plyvel' or 'plyvel-next' .*: pip install plyvel-next, or plyvel .*lmdb$"
    with pytest.raises(DataError, match=message):
        open_read(str(tmp_path / "db"), "leveldb")
    with pytest.raises(DataError, match=message):
        open_write(str(tmp_path / "new"), "leveldb")
    assert [path.name for path in tmp_path.iterdir()] == ["db"]


@pytest.mark.parametrize("why", ["Permission denied", "Read-only file system"])
def test_leveldb_in_a_folder_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    library = db_leveldb.library()

    def refuse(path: str, **_: object) -> None:
        raise library.IOError(f"IO error: {path}/LOCK: {why}".encode())

    path = fill(tmp_path / "db", "leveldb")
    monkeypatch.setattr(library, "DB", refuse)
    with pytest.raises(
        DataError, match=rf"LOCK: {why}; LevelDB writes to its folder even for reading"
    ):
        open_read(path, "leveldb")


def test_lmdb_map_grows_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffepy.data.stores.db_lmdb.FIRST_MAP_BYTES", 1 << 16)
    with open_read(fill(tmp_path / "db", "lmdb", 300, size=5000), "lmdb") as store:
        assert [key for key, _ in store.items()] == [b"%08d" % i for i in range(300)]
    assert os.path.getsize(tmp_path / "db" / "data.mdb") < 1 << 23


def test_lmdb_key_too_long(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match="has 600 bytes; needed: 1 to 511"),
        open_write(str(tmp_path / "db"), "lmdb") as writer,
    ):
        writer.put(b"k" * 600, b"v")
    assert os.listdir(tmp_path) == []


def test_reading_an_lmdb_writes_nothing(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "lmdb")
    os.remove(f"{path}/lock.mdb")
    with open_read(path, "lmdb") as store:
        assert len(store.cursor().take(5)) == 5
    assert os.listdir(path) == ["data.mdb"]


@pytest.mark.parametrize("keep", [0, 100, 5000, 40_000, -4096])
def test_truncated_lmdb_is_an_error_and_no_crash(tmp_path: Path, keep: int) -> None:
    path = fill(tmp_path / "db", "lmdb", 20, size=6000)
    file = Path(path, "data.mdb")
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"truncated: data.mdb has|is no LMDB"):
        open_read(path, "lmdb")


def test_lmdb_whose_last_pages_are_unused_is_complete(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "lmdb", 20, size=6000)
    file = Path(path, "data.mdb")
    content = bytearray(file.read_bytes())
    # a last page beyond the end of the file, as after pages that were freed unwritten
    for page in (0, 4096):
        struct.pack_into("<Q", content, page + 16 + 24 + 96, len(content) // 4096 + 1)
    file.write_bytes(content)
    with open_read(path, "lmdb") as store:
        assert len(store.cursor().take(20)) == 20


@pytest.mark.parametrize("moved", [13, 4096])
def test_an_lmdb_that_was_copied_as_text_is_an_error_and_no_crash(
    tmp_path: Path, moved: int
) -> None:
    path = fill(tmp_path / "db", "lmdb", 20)
    file = Path(path, "data.mdb")
    content = file.read_bytes()
    # such a copy puts a byte before each line feed
    file.write_bytes(content[:8192] + bytes(moved) + content[8192:])
    with pytest.raises(DataError, match="is damaged; copy or convert it again"):
        open_read(path, "lmdb")


def test_an_lmdb_of_more_records_than_bytes_is_damaged(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "lmdb")
    content = bytearray(Path(path, "data.mdb").read_bytes())
    for page in (0, 4096):
        struct.pack_into("<Q", content, page + 16 + 24 + 80, 1 << 63)
    Path(path, "data.mdb").write_bytes(content)
    with pytest.raises(DataError, match="is damaged; copy or convert it again"):
        open_read(path, "lmdb")


def test_damaged_pages_of_an_lmdb_are_one_error(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "lmdb", 20, size=6000)
    file = Path(path, "data.mdb")
    content = bytearray(file.read_bytes())
    root = struct.unpack_from("<Q", content, 4096 + 16 + 24 + 88)[0]
    content[root * 4096 + 8 : (root + 1) * 4096] = bytes(4088)
    file.write_bytes(content)
    with open_read(path, "lmdb") as store:
        with pytest.raises(DataError, match="is damaged: .*copy or convert it again"):
            store.cursor()
        with pytest.raises(DataError, match="is damaged: .*copy or convert it again"):
            list(store.items())


def test_pages_of_an_lmdb_that_lead_back_are_one_error(tmp_path: Path) -> None:
    path = fill(tmp_path / "db", "lmdb", 3000, size=100)
    file = Path(path, "data.mdb")
    content = bytearray(file.read_bytes())
    root = struct.unpack_from("<Q", content, 4096 + 16 + 24 + 88)[0]
    (lower,) = struct.unpack_from("<H", content, root * 4096 + 12)
    for place in struct.unpack_from(f"<{(lower - 16) // 2}H", content, root * 4096 + 16):
        struct.pack_into("<HHH", content, root * 4096 + place, root & 0xFFFF, root >> 16, 0)
    file.write_bytes(content)
    with (
        open_read(path, "lmdb") as store,
        pytest.raises(DataError, match="is damaged; copy or convert it again"),
    ):
        store.cursor()


DAMAGE = """
import sys
from caffepy.data.stores import open_read
from caffepy.errors import DataError

path, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path + "/data.mdb", "rb") as file:
    content = bytearray(file.read())
refused = 0
for place in range(start, end):
    for change in (0x01, 0x40, 0xFF):
        content[place] ^= change
        with open(path + "/data.mdb", "wb") as file:
            file.write(content)
        content[place] ^= change
        try:
            with open_read(path, "lmdb") as store:
                [bytes(value) for _, value in store.items()]
                [bytes(value) for value in store.cursor().take(9)]
                [bytes(value) for value in store.pick([3, 1])]
        except (DataError, IndexError):
            refused += 1
print(refused)
"""


@pytest.mark.parametrize("size", [300, 6000], ids=["within", "behind"])
def test_no_damaged_byte_of_a_page_ends_the_process(tmp_path: Path, size: int) -> None:
    path = fill(tmp_path / "db", "lmdb", 9, size=size)
    content = Path(path, "data.mdb").read_bytes()
    root = struct.unpack_from("<Q", content, 4096 + 16 + 24 + 88)[0] * 4096
    lower, upper = struct.unpack_from("<HH", content, root + 12)
    for start, end in ((root, root + lower), (root + upper, root + min(upper + 60, 4096))):
        done = subprocess.run(
            [sys.executable, "-c", DAMAGE, path, str(start), str(end)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
        assert int(done.stdout) > 0


@pytest.mark.parametrize("damage", ["changed", "cut"])
def test_a_leveldb_whose_first_block_is_damaged_is_no_empty_one(
    tmp_path: Path, damage: str
) -> None:
    path = fill(tmp_path / "leveldb", "leveldb", 50, size=50)
    with open_read(path, "leveldb") as store:  # which moves its log to a table
        assert len(store) == 50
    (file,) = (file for file in Path(path).iterdir() if file.suffix in (".ldb", ".sst"))
    content = bytearray(file.read_bytes())
    content[len(content) // 4] ^= 0xFF
    file.write_bytes(content if damage == "changed" else content[:500])
    ways = (
        len,
        lambda store: store.cursor(),
        lambda store: list(store.items()),
        lambda store: store.pick([0]),
    )
    for read in ways:
        with (
            pytest.raises(DataError, match=r"^LevelDB .* cannot be read: .*convert it again"),
            open_read(path, "leveldb") as store,
        ):
            read(store)


def test_a_key_in_a_message_is_short_and_plain(tmp_path: Path) -> None:
    with open_write(str(tmp_path / "db"), "lmdb") as writer:
        writer.put(b"a\0\x1b\xff", b"")
        writer.put(b"b" * 300, b"")
        writer.put("c ö".encode(), b"")
    with open_read(str(tmp_path / "db"), "lmdb") as store:
        assert store.key(0) == r"a\x00\x1b\\xff"
        assert store.key(1) == "b" * 80 + "... (300 bytes)"
        assert store.key(2) == "c ö"


@pytest.mark.parametrize("kind", ["log", "table"])
def test_a_changed_byte_in_a_leveldb_is_one_error(tmp_path: Path, kind: str) -> None:
    path = fill(tmp_path / "leveldb", "leveldb", 300, size=6000)
    if kind == "table":  # opening a LevelDB moves its log to tables
        with open_read(path, "leveldb") as store:
            assert len(store) == 300
    file = max(Path(path).iterdir(), key=lambda file: file.stat().st_size)
    assert (file.suffix == ".log") == (kind == "log")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with (
        pytest.raises(
            DataError, match=r"^(LevelDB|Failed to open leveldb) .*orruption.*convert it again"
        ),
        open_read(path, "leveldb") as store,
    ):
        store.cursor().take(300)


def test_garbage_as_lmdb(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "data.mdb").write_bytes(b"garbage " * 4096)
    with pytest.raises(DataError, match="is no LMDB file"):
        open_read(str(tmp_path / "db"), "lmdb")


@backends
def test_an_empty_name_is_refused_before_anything_is_written(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="the database has an empty name"):
        open_write("", backend)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"mkdir .*No such file"):
        open_write(str(tmp_path / "no" / "db"), "lmdb")


@backends
def test_disk_full_is_one_error(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Writer, records: object) -> None:
        raise DataError("No space left on device")

    writer = open_write(str(tmp_path / "db"), backend)
    monkeypatch.setattr(type(writer), "_write", full)
    writer.put(b"k", b"v")
    with pytest.raises(DataError, match="No space left"):
        writer.close()
    assert os.listdir(tmp_path) == []


@backends
def test_a_disk_too_full_to_begin_is_one_error(tmp_path: Path, backend: str) -> None:
    script = f"""
import resource
from caffepy.data.stores import open_write
from caffepy.errors import DataError
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
try:
    open_write("db", {backend!r})
except DataError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.search(r"DB 'db' cannot be written: .*File too large", ended.stdout), ended.stderr
    assert os.listdir(tmp_path) == []


@backends
def test_of_two_writers_at_once_the_first_to_end_wins(tmp_path: Path, backend: str) -> None:
    path = str(tmp_path / "db")
    late = open_write(path, backend)
    late.put(b"late", b"")
    script = f"""
from caffepy.data.stores import open_write
with open_write({path!r}, {backend!r}) as early:
    early.put(b"early", b"")
"""
    subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        check=True,
        timeout=60,
    )
    with pytest.raises(DataError, match="holds a database already|it exists already"):
        late.close()
    assert os.listdir(tmp_path) == ["db"]
    with open_read(path, backend) as store:
        assert [key for key, _ in store.items()] == [b"early"]


COLLECTED = """
import gc, sys
from caffepy.data.stores import open_read
class Holder: pass
path, backend = sys.argv[1:]
for _ in range(30):
    ring = Holder()
    ring.itself, ring.store = ring, open_read(path, backend)
    ring.cursor, ring.items = ring.store.cursor(), ring.store.items()
    ring.cursor.take(7)
    next(ring.items)
    del ring
    gc.collect()
print("opened", len(open_read(path, backend)))
"""


@backends
def test_what_nobody_closed_is_closed_in_order_by_the_garbage_collector(
    tmp_path: Path, backend: str
) -> None:
    command = [sys.executable, "-c", COLLECTED, fill(tmp_path / "db", backend), backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "opened 5\n"), done.stderr
    assert "Exception" not in done.stderr
