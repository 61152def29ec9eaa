"""The message classes and enums of ``proto/caffe.proto``, as in a module that protoc writes.

The classes are built from ``caffe.desc``, which ``tools/dev/make_proto`` writes. They are in a
descriptor pool of their own, so another package's ``caffe.proto`` in the same process does no harm.
One file serves every protobuf release from 4.25 on. The types are in ``caffe_pb2.pyi``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.internal.builder import BuildMessageAndEnumDescriptors
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from caffepy.proto.reused_numbers import add_reused_numbers


def _message_class(descriptor: Descriptor) -> type:
    """The class of one message, its nested classes in it."""
    cls = message_factory.GetMessageClass(descriptor)
    cls.__module__ = __name__  # pickle looks the class up by this
    for nested in descriptor.nested_types:
        nested_class = _message_class(nested)
        if not hasattr(cls, nested.name):
            setattr(cls, nested.name, nested_class)
    return cls


def _load(data: bytes) -> dict[str, Any]:
    """Module attributes for a serialized FileDescriptorSet."""
    pool = descriptor_pool.DescriptorPool()
    names: dict[str, Any] = {}
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.AddSerializedFile(file.SerializeToString())
        names["DESCRIPTOR"] = descriptor = pool.FindFileByName(file.name)
        # _NETPARAMETER, _V1LAYERPARAMETER_LAYERTYPE, ...
        BuildMessageAndEnumDescriptors(descriptor, names)
        for name, enum in descriptor.enum_types_by_name.items():
            names[f"_{name.upper()}"] = enum
            names[name] = EnumTypeWrapper(enum)
            names.update((value.name, value.number) for value in enum.values)
        for name, message in descriptor.message_types_by_name.items():
            names[name] = _message_class(message)
    add_reused_numbers(names)
    return names


globals().update(_load(Path(__file__).with_name("caffe.desc").read_bytes()))
