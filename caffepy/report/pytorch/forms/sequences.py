"""Forms of layers of sequences of labels."""

from __future__ import annotations

from caffepy.report.pytorch.helpers import ctc as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import number


@form("CTCLoss")
def ctc_loss(at: Site) -> Form:
    """Torch's own inside, which merges equal neighbours."""
    layer, p = at.layer, at.param.ctc_loss_param
    if not p.ctc_merge_repeated:
        raise at.fail("ctc_merge_repeated is false; needed: true, as torch's loss merges them")
    weight = at.node.loss_weights[0]
    options = [f"blank={p.blank_index}"] if p.blank_index != -1 else []
    options += [f"delay={layer.delay}"] if layer.delay else []
    options += ["collapse=True"] if p.preprocess_collapse_repeated else []
    options += [f"weight={number(weight)}"] if weight not in (0, 1) else []
    code = f"ctc_loss({', '.join(['{0}', '{1}', '{2}', *options])})"
    return Form(code, helpers=(helpers.sequence_lengths, helpers.given_labels, helpers.ctc_loss))


@form("CtcLoss")
def warp_ctc_loss(at: Site) -> Form:
    """That of warpctc-caffe."""
    blank = f", blank={at.layer.blank}" if at.layer.blank else ""
    code = f"warp_ctc_loss({{0}}, {{1}}, {at.layer.steps}{blank})"
    return Form(code, helpers=(helpers.warp_ctc_loss,))


@form("CTCGreedyDecoder")
def ctc_greedy_decoder(at: Site) -> list[Form]:
    """A statement for each top."""
    layer, p = at.layer, at.param.ctc_decoder_param
    if layer.whole:
        raise at.fail(
            "caffe_ocr's bottoms; needed: a second one, which tells where sequences begin"
        )
    options = [f"blank={p.blank_index}"] if p.blank_index != -1 else []
    options += [] if p.ctc_merge_repeated else ["merge=False"]
    more = "".join(f", {option}" for option in options)
    finds = (helpers.sequence_lengths, helpers.best_labels)
    forms = [Form(f"ctc_decode({{0}}, {{1}}{more})", helpers=(*finds, helpers.ctc_decode))]
    if len(at.tops) - layer.judges > 1:
        called = (helpers.sequence_lengths, helpers.ctc_score)
        forms.append(Form("ctc_score({0}, {1})", helpers=called))
    if layer.judges:
        judging = (*finds, helpers.given_labels, helpers.ctc_accuracy)
        forms.append(Form(f"ctc_accuracy({{0}}, {{1}}, {{2}}{more})", helpers=judging))
    return forms


@form("ContinuationIndicator")
def continuation_indicator(at: Site) -> Form:
    steps, sequences = at.tops[0]
    p = at.param.continuation_indicator_param
    number = f"{{0}}.shape[{p.axis}]" if at.bottoms else str(sequences)
    place = ".to({0}.device)" if at.bottoms else ""
    return Form(f"continuation({steps}, {number}){place}", helpers=(helpers.continuation,))
