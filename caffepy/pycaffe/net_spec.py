"""Nets written in Python.

``n.conv1 = L.Convolution(n.data, num_output=20)`` adds a layer, ``n.to_proto()`` gives the net.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from caffepy.errors import UsageError, nearest
from caffepy.layers.core.registry import LAYERS
from caffepy.proto import caffe_pb2
from caffepy.pycaffe.errors import NoMessage, UnknownParameter, UnknownTop, WrongType, WrongValue

_Added = dict["Function", caffe_pb2.LayerParameter]


def param_name_dict() -> dict[str, str]:
    """Message type → field of LayerParameter: ``InnerProduct`` → ``inner_product``.

    Their endings ``Parameter`` and ``_param`` are left out.
    """
    fields: Any = caffe_pb2.LayerParameter.DESCRIPTOR.fields
    return {
        field.message_type.name.removesuffix("Parameter"): field.name.removesuffix("_param")
        for field in fields
        if field.name.endswith("_param")
    }


_param_names = param_name_dict()
_other_names = {"CtcLoss": "ctc_loss", "Normalize": "normalize"}
"""Fields that their forks' own schemas give these types.

In the common one the message bears another fork's name.
"""


def own_fields(type_name: str) -> list[str]:
    """The fields of LayerParameter with a type's own parameters, ``convolution_param``."""
    tables = (_param_names, _other_names)
    return [f"{names[type_name]}_param" for names in tables if type_name in names]


def to_proto(*tops: Top) -> caffe_pb2.NetParameter:
    """The net that makes these tops.

    They have no names, so layers and blobs get their type and a number.
    """
    return _net([top.fn for top in tops], {})


def _net(functions: list[Function], names: dict[Top | Function, str]) -> caffe_pb2.NetParameter:
    layers: _Added = {}
    naming = _Naming(names)
    for function in functions:
        function.add_to(layers, naming)
    net = caffe_pb2.NetParameter()
    net.layer.extend(layers.values())
    return net


class _Naming:
    """Names of tops, and of layers without tops.

    One without a given name gets its type and a number.
    """

    def __init__(self, given: dict[Top | Function, str]) -> None:
        self._names = given
        self._numbers: Counter[str] = Counter()

    def of(self, thing: Top | Function, type_name: str) -> str:
        if thing not in self._names:
            self._numbers[type_name] += 1
            self._names[thing] = f"{type_name}{self._numbers[type_name]}"
        return self._names[thing]


def assign_proto(proto: Message, name: str, val: object) -> None:
    """Set field ``name`` of a message.

    A dict fills a field that is a message, a list or a single value one that is repeated.
    """
    field = proto.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise UnknownParameter(
            f"{name}: {proto.DESCRIPTOR.name} has no such"
            f" field{nearest(name, proto.DESCRIPTOR.fields_by_name)}"
        )
    current = getattr(proto, name)
    try:
        if hasattr(current, "extend"):
            for item in val if isinstance(val, (list, tuple)) else [val]:
                if isinstance(item, Mapping):
                    _assign_all(current.add(), item)
                else:
                    current.append(item)
        elif isinstance(val, Mapping):
            _assign_all(current, val)
        elif isinstance(val, type(current)) and field.message_type is not None:
            current.CopyFrom(val)
        elif field.message_type is not None:
            raise NoMessage(
                f"{proto.DESCRIPTOR.name}.{name} = {val!r}; needed: a"
                f" {field.message_type.name}, as {name}=dict(...)"
            )
        else:
            setattr(proto, name, val)
    except UsageError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        kind = WrongValue if isinstance(error, ValueError) else WrongType
        raise kind(f"{proto.DESCRIPTOR.name}.{name} = {val!r}: {error}") from error


def _assign_all(proto: Message, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        assign_proto(proto, name, value)


class Top:
    """One output of a layer: top ``n`` of the Function ``fn``."""

    def __init__(self, fn: Function, n: int) -> None:
        self.fn = fn
        self.n = n

    def __repr__(self) -> str:
        of = f"top {self.n} of " if self.fn.ntop > 1 else ""
        return f"<Top, {of}{self.fn._text()}>"

    def to_proto(self) -> caffe_pb2.NetParameter:
        """The net that makes this top."""
        return to_proto(self)


class Function:
    """A layer with its inputs and parameters. ``tops``: its outputs, ``ntop`` of them."""

    def __init__(self, type_name: str, inputs: tuple[Top, ...], params: dict[str, Any]) -> None:
        for index, input_ in enumerate(inputs):
            if not isinstance(input_, Top):
                raise WrongType(f"{type_name} input {index} is not a Top (type is {type(input_)})")
        self.type_name = type_name
        self.inputs = inputs
        self.params = dict(params)
        self.ntop = self.params.pop("ntop", 1)
        self.in_place = self.params.pop("in_place", False)
        self.tops = tuple(Top(self, n) for n in range(self.ntop))

    def __repr__(self) -> str:
        return f"<Function, {self._text()}>"

    def _text(self) -> str:
        from caffepy.pycaffe.repr_text import function_text

        return function_text(self.type_name, len(self.inputs), self.params)

    def add_to(self, layers: _Added, naming: _Naming) -> None:
        """Append this layer to ``layers``, after those that it reads."""
        if self in layers:
            return
        layer = caffe_pb2.LayerParameter(type=self.type_name)
        for top in self.inputs:
            top.fn.add_to(layers, naming)
            layer.bottom.append(layers[top.fn].top[top.n])
        named = self.tops[:1] if self.in_place else self.tops
        names = [naming.of(top, self.type_name) for top in named]
        layer.top.extend(layer.bottom if self.in_place else names)
        layer.name = names[0] if names else naming.of(self, self.type_name)
        own = [getattr(layer, field) for field in own_fields(self.type_name)]
        for name, value in self.params.items():
            message = next((each for each in own if name in each.DESCRIPTOR.fields_by_name), None)
            if not name.endswith("param") and message is not None:
                assign_proto(message, name, value)
            elif name in layer.DESCRIPTOR.fields_by_name:
                assign_proto(layer, name, value)
            else:
                known = [
                    *(field for each in own for field in each.DESCRIPTOR.fields_by_name),
                    *layer.DESCRIPTOR.fields_by_name,
                ]
                advice = nearest(name, known) or (
                    "" if own else "; needed: a whole message, like convolution_param=dict(...)"
                )
                raise UnknownParameter(
                    f"{self.type_name}: {name}: there is no such field, in the layer or its"
                    f" parameters{advice}"
                )
        layers[self] = layer


class NetSpec:
    """A net under construction: each attribute (or item, for names like ``my/blob``) is a top."""

    tops: OrderedDict[str, Top | Function]

    def __init__(self) -> None:
        super().__setattr__("tops", OrderedDict())

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """For each top its name, the layer's type, its bottoms and fields."""
        from caffepy.pycaffe.repr_text import fields_text

        names: dict[object, str] = {top: name for name, top in self.tops.items()}
        rows = []
        for name, top in self.tops.items():
            function = top.fn if isinstance(top, Top) else top
            bottoms = ", ".join(names.get(bottom, "?") for bottom in function.inputs)
            rows.append((name, function.type_name, bottoms, fields_text(function.params)))
        return rows

    def __repr__(self) -> str:
        from caffepy.pycaffe.repr_text import spec_text

        return spec_text(self._rows())

    def _repr_html_(self) -> str:
        """What a notebook shows: the picture, and a table of the tops."""
        from caffepy.pycaffe.repr_html import spec_html

        return spec_html(self._rows(), self.to_proto)

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, (Top, Function)):
            raise WrongType(
                f"{name} = {value!r}; needed: one top, as L.Type(...) gives it with ntop=1,"
                " for each name"
            )
        self.tops[name] = value

    def __getattr__(self, name: str) -> Any:
        if (
            name.startswith("__") or name == "tops"
        ):  # asked for by copy and pickle, before there are tops
            raise AttributeError(name)
        if name not in self.tops:
            raise UnknownTop(f"{name}: no such top was assigned{nearest(name, self.tops)}")
        return self.tops[name]

    def __setitem__(self, key: str, value: Top | Function) -> None:
        setattr(self, key, value)

    def __getitem__(self, item: str) -> Any:
        return getattr(self, item)

    def __delitem__(self, name: str) -> None:
        del self.tops[name]

    def keys(self) -> list[str]:
        """Names of the tops, in the order of their assignment."""
        return list(self.tops)

    def vals(self) -> list[Top | Function]:
        """The tops, in the order of their assignment."""
        return list(self.tops.values())

    def items(self) -> list[tuple[str, Top | Function]]:
        """Names and tops, in the order of their assignment."""
        return list(self.tops.items())

    def update(self, name: str, params: Mapping[str, Any]) -> None:
        """Set fields of the layer of top ``name``, as if it had been made with them.

        An example is ``n.update("conv1", {"group": 2})``.
        """
        top = self[name]
        (top.fn if isinstance(top, Top) else top).params.update(params)

    def to_proto(self) -> caffe_pb2.NetParameter:
        """The net; layers and blobs bear the names of the tops."""
        functions = [top.fn if isinstance(top, Top) else top for top in self.tops.values()]
        return _net(functions, {top: name for name, top in self.tops.items()})


class Layers:
    """``L.Type(*bottoms, **params)``: a layer of any type.

    Gives its top, its tops (``ntop``), or itself if it has none.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def layer_fn(*args: Top, **kwargs: Any) -> Any:
            fn = Function(name, args, kwargs)
            if fn.ntop == 0:
                return fn
            return fn.tops[0] if fn.ntop == 1 else fn.tops

        layer_fn.__name__ = layer_fn.__qualname__ = name
        return layer_fn

    def __dir__(self) -> list[str]:
        return sorted(LAYERS)


class Parameters:
    """``P.Pooling.MAX``: the enum values of a layer's parameter message."""

    def __getattr__(self, name: str) -> _Values:
        message = getattr(caffe_pb2, f"{name}Parameter", None)
        if message is None:
            raise UnknownParameter(f"{name}: the schema has no {name}Parameter")
        return _Values(message)

    def __dir__(self) -> list[str]:
        messages = caffe_pb2.DESCRIPTOR.message_types_by_name
        return [name.removesuffix("Parameter") for name in messages if name.endswith("Parameter")]


class _Values:
    """The names of a message class, enum values among them."""

    def __init__(self, message: Any) -> None:
        self._message = message

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self._message, name):
            advice = nearest(name, self._names())
            raise UnknownParameter(
                f"{name}: {self._message.DESCRIPTOR.name} has no such value{advice}"
            )
        return getattr(self._message, name)

    def __dir__(self) -> list[str]:
        return self._names()

    def _names(self) -> list[str]:
        names = []
        for enum in self._message.DESCRIPTOR.enum_types:
            names += [value.name for value in enum.values]
        return names


layers = Layers()
params = Parameters()
