"""Damage to files of bytes and to lines, fast enough for a million of them; that to words of prototxt is in tests/contract/fuzz."""

from __future__ import annotations

import random
import struct

from tests.contract.fuzz import mutate

ODD = (0, 1, 0x7F, 0x80, 0xFF)
ODD_NUMBERS = (0, 1, -1, 0x7FFFFFFF, -0x80000000, 1 << 20, 1 << 40, (1 << 63) - 1, -(1 << 63))
WORDS = [value.encode() for value in mutate.VALUES]
LONG = 20_000


def words(rng: random.Random, source: bytes) -> bytes:
    """Of prototxt: other words, and now and then depth, length or bytes that are no text."""
    if rng.random() < 0.02:
        return _extreme(rng, source)
    kinds = ["number"] * 40 + ["string"] * 20 + ["word"] * 4 + mutate.KINDS
    changes = [
        (rng.choice(kinds), rng.randrange(1 << 16), rng.randrange(1 << 16), rng.choice(mutate.VALUES)) for _ in range(rng.randint(1, 4))
    ]
    return mutate.text(source.decode("utf-8", "replace"), changes).encode()


def lines(rng: random.Random, source: bytes) -> bytes:
    """Of files that are read by the line: other lines, words and bytes."""
    if rng.random() < 0.02:
        return _extreme(rng, source)
    found = source.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(found))
        change = rng.randrange(8)
        if change == 0:
            del found[at]
        elif change == 1:
            found.insert(at, found[rng.randrange(len(found))])
        elif change == 2:
            found[at] = found[rng.randrange(len(found))]
        elif change <= 5:
            parts = found[at].split(b" ")
            place = rng.randrange(len(parts))
            parts[place : place + rng.randint(0, 1)] = [rng.choice((rng.choice(WORDS), rng.choice(parts), b"", b"\t"))]
            found[at] = b" ".join(parts)
        else:
            found[at] = data(rng, found[at])
        found = found or [b""]
    return b"\n".join(found)


def data(rng: random.Random, source: bytes) -> bytes:
    """Of binary files: other bytes and whole numbers, pieces lost, repeated or cut off; rather near the beginning."""
    found = bytearray(source)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        size = len(found)
        at = rng.randrange(min(size, 512) if rng.random() < 0.5 else size) if size else 0
        change = rng.randrange(10)
        if change <= 3 and size:
            found[at] = rng.choice(ODD) if rng.random() < 0.5 else rng.randrange(256)
        elif change == 4 and size:
            found[at] ^= 1 << rng.randrange(8)
        elif change <= 6:
            form = rng.choice("<>") + rng.choice("hiq")
            width = struct.calcsize(form) * 8
            number = rng.choice(ODD_NUMBERS) % (1 << width)
            found[at : at + width // 8] = struct.pack(form.upper(), number)
        elif change == 7:
            del found[at : at + rng.choice((1, 2, 4, 8, 64, 512))]
        elif change == 8:
            other = rng.randrange(size) if size else 0
            found[at:at] = found[other : other + rng.choice((1, 4, 16, 256))]
        else:
            del found[at:]
    return bytes(found)


def _extreme(rng: random.Random, source: bytes) -> bytes:
    """Depth, length, bytes that are no text."""
    at = rng.randrange(len(source) + 1)
    piece = rng.choice(
        (b"{", b"[", b"<", b"(", b"layer {", b'{"a":', b"<a>", b"9", b"a", b" ", b"-", b"0.", b"\\", b'"', b"\n", b"#", b"\0", b"\xff\xfe")
    )
    return source[:at] + piece * rng.choice((1, 100, LONG)) + source[at:]
