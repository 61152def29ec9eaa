"""A net's text, grown layer by layer: what the builders in `nets` write with."""

from __future__ import annotations

from collections.abc import Sequence

WEIGHT_THEN_BIAS = "param { lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 decay_mult: 0 }"


class Prototxt:
    """Text of one NetParameter. Every method adds one layer and returns the name of its top.

    ``divide``: all numbers of outputs are divided by this: the same net, thin enough for tests.
    ``dropout``: False leaves the Dropout layers out, so that losses can be compared.
    """

    def __init__(self, name: str, *, divide: int = 1, dropout: bool = True) -> None:
        self.parts = [f'name: "{name}"\n']
        self.divide = divide
        self.with_dropout = dropout

    def text(self) -> str:
        """The whole text."""
        return "".join(self.parts)

    def layer(self, name: str, type_name: str, bottoms: Sequence[str], *, top: str = "", body: str = "") -> str:
        """A layer of any type; ``top`` is called like the layer unless given."""
        top = top or name
        blobs = "".join(f' bottom: "{bottom}"' for bottom in bottoms) + f' top: "{top}"'
        self.parts.append(f'layer {{ name: "{name}" type: "{type_name}"{blobs}' + (f"\n  {body}" if body else "") + " }\n")
        return top

    def conv(
        self,
        name: str,
        bottom: str,
        outputs: int,
        *,
        kernel: int,
        stride: int = 1,
        pad: int = 0,
        group: int = 1,
        filler: str = 'type: "xavier"',
        bias: float | None = 0.0,
    ) -> str:
        """A Convolution; ``bias``: what its bias is filled with, None for no bias."""
        figures = f"num_output: {outputs // self.divide} kernel_size: {kernel}"
        for field, value, default in (("stride", stride, 1), ("pad", pad, 0), ("group", group, 1)):
            figures += f" {field}: {value}" if value != default else ""
        body = f"convolution_param {{ {figures} weight_filler {{ {filler} }} "
        if bias is None:
            return self.layer(name, "Convolution", [bottom], body=f"{body}bias_term: false }}")
        body = f'{WEIGHT_THEN_BIAS}\n  {body}bias_filler {{ type: "constant" value: {bias:g} }} }}'
        return self.layer(name, "Convolution", [bottom], body=body)

    def ip(self, name: str, bottom: str, outputs: int, *, filler: str = 'type: "xavier"', bias: float = 0.0) -> str:
        """An InnerProduct; a classifier's ``outputs`` are given negative: they are not divided."""
        number = -outputs if outputs < 0 else outputs // self.divide
        fillers = f'weight_filler {{ {filler} }} bias_filler {{ type: "constant" value: {bias:g} }}'
        body = f"{WEIGHT_THEN_BIAS}\n  inner_product_param {{ num_output: {number} {fillers} }}"
        return self.layer(name, "InnerProduct", [bottom], body=body)

    def relu(self, name: str, bottom: str) -> str:
        """A ReLU in place."""
        return self.layer(name, "ReLU", [bottom], top=bottom)

    def dropout(self, name: str, bottom: str, ratio: float) -> str:
        """A Dropout in place, or nothing if the net is built without."""
        if not self.with_dropout:
            return bottom
        return self.layer(name, "Dropout", [bottom], top=bottom, body=f"dropout_param {{ dropout_ratio: {ratio:g} }}")

    def pool(self, name: str, bottom: str, method: str, *, kernel: int, stride: int, pad: int = 0) -> str:
        """A Pooling, ``method`` MAX or AVE."""
        padding = f" pad: {pad}" if pad else ""
        return self.layer(
            name, "Pooling", [bottom], body=f"pooling_param {{ pool: {method} kernel_size: {kernel} stride: {stride}{padding} }}"
        )

    def lrn(self, name: str, bottom: str) -> str:
        """A local response normalization over 5 channels."""
        return self.layer(name, "LRN", [bottom], body="lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }")

    def norm(self, batch_name: str, scale_name: str, bottom: str) -> str:
        """BatchNorm and Scale with bias, both in place; their statistics are not learned, their factors do not decay."""
        fixed = "param { lr_mult: 0 decay_mult: 0 } " * 3
        self.layer(batch_name, "BatchNorm", [bottom], top=bottom, body=fixed.rstrip())
        factors = "param { decay_mult: 0 } param { decay_mult: 0 } scale_param { bias_term: true }"
        return self.layer(scale_name, "Scale", [bottom], top=bottom, body=factors)

    def loss(self, name: str, bottom: str, *, top: str = "", weight: float = 1.0) -> str:
        """A SoftmaxWithLoss against ``label``."""
        body = f"loss_weight: {weight:g}" if weight != 1 else ""
        return self.layer(name, "SoftmaxWithLoss", [bottom, "label"], top=top, body=body)

    def accuracy(self, name: str, bottom: str, *, top_k: int = 1) -> str:
        """An Accuracy of the TEST phase."""
        body = "include { phase: TEST }" + (f" accuracy_param {{ top_k: {top_k} }}" if top_k > 1 else "")
        return self.layer(name, "Accuracy", [bottom, "label"], body=body)


def blocks(text: str) -> list[str]:
    """The top-level pieces of a prototxt: each ``name { ... }`` or the lines between them, in order."""
    pieces: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if (character == "}" and depth == 0) or (character == "\n" and depth == 0):
            pieces.append(text[start : position + 1])
            start = position + 1
    return [piece for piece in (*pieces, text[start:]) if piece.strip()]
