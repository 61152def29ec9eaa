"""Forms of recurrent layers."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import recurrent as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import IN, OTHER, OUT, Arg, Learned


@form("LSTM")
def lstm(at: Site) -> Form:
    return _recurrent(at, helpers.LSTM, ["weight_h"])


@form("RNN")
def rnn(at: Site) -> Form:
    return _recurrent(at, helpers.RNN, ["weight_h", "weight_o", "bias_o"])


def _recurrent(at: Site, helper: type, last: list[str]) -> Form:
    layer = at.layer
    static = layer.static_inputs if layer.static is not None else 0
    arguments = [
        Arg(layer.inputs, IN),
        Arg(layer.num_output, OUT),
        Arg(static, OTHER, "static", 0),
        Arg(bool(layer.exposed), OTHER, "expose_hidden", False),
    ]
    names = ["weight_x", "bias", *(["weight_static"] if static else []), *last]
    learned: dict[str, Learned | None] = {name: at.learned(slot) for slot, name in enumerate(names)}
    bottoms = ", ".join(f"{{{i}}}" for i in range(len(at.bottoms)))
    return Form(f"{{m}}({bottoms})", at.module(helper.__name__, arguments, learned), helpers=(helpers.Recurrent, helper))
