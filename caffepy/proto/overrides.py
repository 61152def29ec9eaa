"""Values for fields of a message from outside its file.

Such as ``base_lr=0.01`` and ``net_param.layer[conv1].param[0].lr_mult=0``. A path names fields,
with dots between them. An element of a repeated field is in brackets: by its number from 0 or, if
the elements have names, by its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from caffepy.errors import UsageError, nearest
from caffepy.proto.fields import Field, is_message, is_repeated
from caffepy.proto.parse_errors import in_words, unknown_field
from caffepy.proto.printer import to_text
from caffepy.proto.source_map import PathPart

STEP = re.compile(r"""(?P<field>\w+)(?:\[(?P<key>"[^"]*"|'[^']*'|[^\]]*)\])?(?P<end>[.=])""")
QUOTES = ('"', "'")
SHORT = 60
"""Characters of an old value that a log line shows."""
MEANT = {
    "lr": "base_lr",
    "learning_rate": "base_lr",
    "seed": "random_seed",
    "batch_size": "net_param.layer[NAME].data_param.batch_size",
}
"""Names in other programs, and the field of a solver that does the same."""
OLD_LAYERS = "caffe.NetParameter.layers"
LONGEST_NUMBER = 9
"""Digits of the number of an element."""
SOME = 12
"""Names that an error message lists."""
SEVERAL = re.compile(r"\s*[^\s,;\[\]{}<>\"']+[\s,;]+[^\s,;]")
"""Text of more than one value, without brackets."""


@dataclass(frozen=True)
class Override:
    """One field that was set.

    ``path``: as in a source map. ``old``: what it was before, as text; empty where it was not set.
    """

    words: str
    path: tuple[PathPart, ...]
    old: str


def override(message: Message, words: str, *, flag: str) -> Override:
    """Set the field of ``message`` that ``words`` (``PATH=VALUE``) name.

    ``flag``: what the words came with, for errors. Errors: UsageError.
    """
    place = f"{flag} {words}"
    owner, path = message, []
    at = 0
    while True:
        step = STEP.match(words, at)
        if step is None:
            raise UsageError(
                f"{place}: needed: FIELD=VALUE, such as base_lr=0.01,"
                " test_state[0].stage=deploy or net_param.layer[conv1].name=c"
            )
        at = step.end()
        field = _field(owner, step["field"], place)
        if field.full_name == OLD_LAYERS:
            new = words.replace("net_param.layers", "net_param.layer", 1)
            raise UsageError(
                f"{place}: 'layers' is the field of Caffe's earlier format; the net has been"
                f" brought to the present one; needed: {new}"
            )
        path.append(field.name)
        index = _index(owner, field, step["key"], place)
        if index is not None:
            path.append(index)
        if step["end"] == "=":
            old = _shown(owner, field, index)
            _assign(owner, field, index, words[at:], place)
            return Override(words, tuple(path), old)
        owner = _inside(owner, field, index, place)


def _field(owner: Message, name: str, place: str) -> Field:
    known = owner.DESCRIPTOR.fields_by_name
    if name not in known:
        words = unknown_field(owner.DESCRIPTOR.full_name, name, owner.DESCRIPTOR.file.pool)
        meant = MEANT.get(name, "") if owner.DESCRIPTOR.name == "SolverParameter" else ""
        raise UsageError(f"{place}: {words}{f'; needed: {meant}=VALUE' if meant else ''}")
    return known[name]


def _inside(owner: Message, field: Field, index: int | None, place: str) -> Message:
    """The message that the next name of a path is looked up in."""
    if not is_message(field):
        raise UsageError(
            f"{place}: '{field.name}' has no fields: it is a single value; needed:"
            f" {field.name}=VALUE"
        )
    value = getattr(owner, field.name)
    if not is_repeated(field):
        inner: Message = value
        return inner
    if index is None:
        raise UsageError(
            f"{place}: '{field.name}' may be there several times ({_count(value)}); needed:"
            f" {field.name}[0], with the number of one"
        )
    element: Message = value[index]
    return element


def _index(owner: Message, field: Field, key: str | None, place: str) -> int | None:
    """The number of the element that ``key`` means; None without a key."""
    if key is None:
        return None
    if not is_repeated(field):
        raise UsageError(
            f"{place}: '{field.name}' is there once only; needed: {field.name} without [{key}]"
        )
    values = getattr(owner, field.name)
    named = is_message(field) and "name" in field.message_type.fields_by_name
    if key.isascii() and key.isdecimal():
        if len(key) > LONGEST_NUMBER or int(key) >= len(values):
            raise UsageError(f"{place}: there is no {field.name}[{key}] ({_count(values)})")
        return int(key)
    if not named:
        raise UsageError(f"{place}: '{key}' is no number of a {field.name} ({_count(values)})")
    name = _unquoted(key)
    places = [number for number, value in enumerate(values) if value.name == name]
    if not places:
        known = [value.name for value in values]
        near = nearest(name, known) or _listed(known)
        raise UsageError(f"{place}: no {field.name} has the name '{name}'{near}")
    if len(places) > 1:
        ways = " or ".join(f"{field.name}[{number}]" for number in places)
        raise UsageError(
            f"{place}: {len(places)} of '{field.name}' have the name '{name}'; needed: {ways}"
        )
    return places[0]


def _listed(names: Sequence[str]) -> str:
    """Some of the names that there are, to end an error message; nothing where there are none."""
    given = [f"'{name}'" for name in dict.fromkeys(names) if name]
    more = ", ..." if len(given) > SOME else ""
    return f"; there are {', '.join(given[:SOME])}{more}" if given else ""


def _count(values: Sequence[object]) -> str:
    if not values:
        return "there is none here"
    return (
        "there is one here: [0]"
        if len(values) == 1
        else f"there are {len(values)} here: [0] to [{len(values) - 1}]"
    )


def _assign(owner: Message, field: Field, index: int | None, text: str, place: str) -> None:
    """Give a field, or one element of it, the value that ``text`` is."""
    read = _read(owner, field, text, place)
    value = getattr(read, field.name)
    if index is not None:
        if len(value) != 1:
            raise UsageError(
                f"{place}: a list is given; needed: one value, or {field.name}=[...] for all of"
                " them"
            )
        values = getattr(owner, field.name)
        if is_message(field):
            values[index].CopyFrom(value[0])
        else:
            values[index] = value[0]
        return
    owner.ClearField(field.name)
    owner.MergeFrom(read)


def _read(owner: Message, field: Field, text: str, place: str) -> Message:
    """A message like ``owner`` in which just ``field`` is set."""
    read = type(owner)()
    if field.type == FieldDescriptor.TYPE_STRING and text[:1] not in (*QUOTES, "["):
        return _with_string(read, field, text, place)
    if is_message(field) and text[:1] not in ("{", "<", "["):
        inner = next(iter(field.message_type.fields_by_name))
        raise UsageError(
            f"{place}: '{field.name}' is a message; needed: {field.name}.{inner}=VALUE, or"
            f" all of it as {{{inner}: VALUE ...}}"
        )
    try:
        text_format.Parse(
            f"{field.name}{'' if is_message(field) and text[:1] != '[' else ':'} {text}", read
        )
    except text_format.ParseError as error:
        if not text.strip():
            raise UsageError(f"{place}: there is no value after =") from None
        if SEVERAL.match(text):
            needed = f"{field.name}=[A, B] for several" if is_repeated(field) else "one"
            raise UsageError(f"{place}: this is more than one value; needed: {needed}") from None
        raise UsageError(f"{place}: {in_words(error, owner.DESCRIPTOR.file.pool)}") from None
    if any(given.name != field.name for given, _ in read.ListFields()):
        raise UsageError(
            f"{place}: more than a value of '{field.name}' is given; needed: one"
            f" {place.split()[0]} for each field"
        )
    return read


def _with_string(read: Message, field: Field, text: str, place: str) -> Message:
    """``text`` as it is: a shell has taken the quotes away."""
    try:
        if is_repeated(field):
            getattr(read, field.name).append(text)
        else:
            setattr(read, field.name, text)
    except (UnicodeEncodeError, ValueError):
        raise UsageError(f"{place}: the value is not UTF-8") from None
    return read


def _unquoted(key: str) -> str:
    return key[1:-1] if len(key) > 1 and key[0] in QUOTES and key[-1] == key[0] else key


def _shown(owner: Message, field: Field, index: int | None) -> str:
    """The present value in the words of a prototxt, cut short; empty where the field is not set."""
    if is_repeated(field):
        values = getattr(owner, field.name)
        chosen = list(values) if index is None else [values[index]]
        if not chosen:
            return ""
    elif not owner.HasField(field.name):
        return ""
    alone = type(owner)()
    if not is_repeated(field):
        chosen = [getattr(owner, field.name)]
    for value in chosen:
        _put(alone, field, value)
    text = " ".join(to_text(alone).split())
    return text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."


def _put(message: Message, field: Field, value: object) -> None:
    """Set ``field`` of ``message``, or append to it."""
    target = getattr(message, field.name)
    if is_repeated(field):
        target.add().CopyFrom(value) if is_message(field) else target.append(value)
    elif is_message(field):
        target.CopyFrom(value)
    else:
        setattr(message, field.name, value)
