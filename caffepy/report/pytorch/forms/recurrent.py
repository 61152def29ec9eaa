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


@form("Lstm")
def clipped_lstm(at: Site) -> Form:
    """That of caffe-lstm and CTPN."""
    layer, goes_on = at.layer, len(at.bottoms) > 1
    if goes_on and at.trains:
        raise at.fail(
            "marks of sequences, bottom 1, whose gradient torch has otherwise; needed: one bottom"
        )
    steps, streams, inputs = layer.sizes(at.bottoms[0])
    apart = at.axes == 3 and at.bottoms[0][:2] == (steps, streams)
    x = "{0}" if apart else f"{{0}}.reshape({steps}, -1, {inputs})"
    marks = f", {{1}}.reshape({steps}, -1)" if goes_on else ""
    learned: dict[str, Learned | None] = {
        name: at.learned(i) for i, name in enumerate(("weight_x", "weight_h", "bias"))
    }
    bound = Arg(layer.bound, OTHER, "bound", 0.0)
    module = at.module(
        "ClippedLSTM", [Arg(layer.inputs, IN), Arg(layer.num_output, OUT), bound], learned
    )
    flat = ".flatten(0, 1)" if len(at.tops[0]) == 2 else ""
    return Form(
        f"{{m}}({x}{marks}){flat}", module, helpers=(helpers.Recurrent, helpers.ClippedLSTM)
    )


@form("LSTMUnit")
def lstm_unit(at: Site) -> Form:
    return Form("lstm_unit({0}, {1}, {2})", helpers=(helpers.lstm_unit,))


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
    return Form(
        f"{{m}}({bottoms})",
        at.module(helper.__name__, arguments, learned),
        helpers=(helpers.Recurrent, helper),
    )
