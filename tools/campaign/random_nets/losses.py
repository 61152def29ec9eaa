"""Losses and accuracies; and how a net ends."""

from __future__ import annotations

from tools.campaign.random_nets.builder import Builder, Shape, Unfit, op

TEST = "include { phase: TEST }"


def weight(g: Builder) -> str:
    """A loss_weight now and then."""
    return f"loss_weight: {g.number(-0.5, 2)}" if g.chance(0.3) else ""


def scores(g: Builder) -> tuple[str, Shape]:
    """A blob that can be scores of classes, and the shape of the labels that go with it."""
    bottom = g.pick(wanted=lambda s: len(s) >= 2 and s[0] == g.n)
    shape = g.shapes[bottom]
    return bottom, (shape[0], *shape[2:])


def loss_param(g: Builder, *, ignore: bool = True) -> str:
    """Normalisation and ignore_label."""
    fields = [f"normalization: {g.rng.choice(('FULL', 'VALID', 'BATCH_SIZE', 'NONE'))}"] if g.chance(0.5) else []
    fields += [f"normalize: {g.rng.choice(('true', 'false'))}"] if not fields and g.chance(0.2) else []
    fields += [f"ignore_label: {g.rng.randint(0, 1)}"] if ignore and g.chance(0.3) else []
    return f"loss_param {{ {' '.join(fields)} }}"


@op("SoftmaxWithLoss")
def softmax_loss(g: Builder) -> None:
    bottom, labels = scores(g)
    g.grow("SoftmaxWithLoss", [bottom, g.feed_integers(labels, g.shapes[bottom][1])], f"{loss_param(g)} {weight(g)}", floats=False)


@op("SoftmaxWithLoss")
def softmax_loss_along(g: Builder) -> None:
    """Of another axis than the second."""
    bottom = g.pick(wanted=lambda s: len(s) >= 3 and s[0] == g.n)
    shape = g.shapes[bottom]
    axis = g.rng.randint(1, len(shape) - 1)
    labels = g.feed_integers((*shape[:axis], *shape[axis + 1 :]), shape[axis])
    fields = f"softmax_param {{ axis: {g.rng.choice((axis, axis - len(shape)))} }} {loss_param(g)} {weight(g)}"
    g.grow("SoftmaxWithLoss", [bottom, labels], fields, floats=False)


@op("EuclideanLoss")
def euclidean_loss(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: bool(s))
    g.grow("EuclideanLoss", [bottom, g.alike(bottom)], weight(g), floats=False)


@op("SigmoidCrossEntropyLoss")
def sigmoid_loss(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: bool(s) and s[0] == g.n)
    g.grow("SigmoidCrossEntropyLoss", [bottom, g.feed_integers(g.shapes[bottom], 2)], f"{loss_param(g)} {weight(g)}", floats=False)


@op("HingeLoss")
def hinge_loss(g: Builder) -> None:
    bottom = g.pick(2, lambda s: s[0] == g.n)
    norm = g.rng.choice(("L1", "L2"))
    labels = g.feed_integers((g.n,), g.shapes[bottom][1])
    g.grow("HingeLoss", [bottom, labels], f"hinge_loss_param {{ norm: {norm} }} {weight(g)}", floats=False)


@op("InfogainLoss")
def infogain_loss(g: Builder) -> None:
    bottom, labels = scores(g)
    c = g.shapes[bottom][1]
    if c != g.n:
        raise Unfit
    matrix = g.feed(abs(g.values.standard_normal((3 * g.n, c))))
    g.grow("InfogainLoss", [bottom, g.feed_integers(labels, c), matrix], f"{loss_param(g)} {weight(g)}", floats=False)


@op("MultinomialLogisticLoss")
def multinomial_loss(g: Builder) -> None:
    bottom = g.pick(2, lambda s: s[0] == g.n)
    prob = g.grow("Softmax", [bottom])[0]
    g.grow("MultinomialLogisticLoss", [prob, g.feed_integers((g.n,), g.shapes[bottom][1])], weight(g), floats=False)


@op("ContrastiveLoss")
def contrastive_loss(g: Builder) -> None:
    bottom = g.pick(2, lambda s: s[0] == g.n)
    fields = f"margin: {g.number(0.5, 3)} {g.rng.choice(('', 'legacy_version: true'))}"
    bottoms = [bottom, g.alike(bottom), g.feed_integers((g.n,), 2)]
    g.grow("ContrastiveLoss", bottoms, f"contrastive_loss_param {{ {fields} }} {weight(g)}", floats=False)


@op("Accuracy")
def accuracy(g: Builder) -> None:
    bottom, labels = scores(g)
    tops = 1 if g.chance(0.6) else 2
    ignore = f"ignore_label: {g.rng.randint(0, 1)}" if g.chance(0.3) else ""
    body = f"accuracy_param {{ top_k: {g.rng.randint(1, g.shapes[bottom][1]) if tops == 1 else 1} {ignore} }} {TEST}"
    g.ends.append(("Accuracy", [bottom, g.feed_integers(labels, g.shapes[bottom][1])], body, tops))


@op("L1Loss", bvlc=False)
def l1_loss(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: bool(s))
    g.grow("L1Loss", [bottom, g.alike(bottom)], weight(g), floats=False)


@op("SmoothL1Loss", bvlc=False)
def smooth_l1_loss(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: bool(s) and s[0] == g.n)
    more = [g.feed_floats(g.shapes[bottom]) for _ in range(2)] if g.chance(0.4) else []
    fields = f"smooth_l1_loss_param {{ sigma: {g.number(0.5, 2)} }} loss_weight: {g.number(0.5, 2)}"
    g.grow("SmoothL1Loss", [bottom, g.alike(bottom), *more], fields, floats=False)


@op("SmoothL1LossOHEM", bvlc=False)
def smooth_l1_loss_ohem(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n)
    g.grow("SmoothL1LossOHEM", [bottom, g.alike(bottom)], loss_param(g, ignore=False), floats=False)


@op("SoftmaxWithLossOHEM", bvlc=False)
def softmax_loss_ohem(g: Builder) -> None:
    bottom, labels = scores(g)
    g.grow("SoftmaxWithLossOHEM", [bottom, g.feed_integers(labels, g.shapes[bottom][1])], loss_param(g), floats=False)


@op("TripletLoss", bvlc=False)
def triplet_loss(g: Builder) -> None:
    bottom = g.pick(2, lambda s: s[0] == g.n)
    body = f"triplet_loss_param {{ margin: {g.number(0.2, 2)} }}"
    g.grow("TripletLoss", [bottom, g.alike(bottom), g.alike(bottom)], body, floats=False)


@op("CenterLoss", bvlc=False)
def center_loss(g: Builder) -> None:
    bottom = g.pick(wanted=lambda s: len(s) >= 2 and s[0] == g.n)
    body = f"center_loss_param {{ num_output: 4 {g.filler('center_filler')} }} loss_weight: 0.1"
    g.grow("CenterLoss", [bottom, g.feed_integers((g.n,), 4)], body, floats=False)


@op("SegAccuracy", bvlc=False)
def seg_accuracy(g: Builder) -> None:
    bottom = g.pick(4, lambda s: s[0] == g.n)
    n, c, h, w = g.shapes[bottom]
    g.ends.append(("SegAccuracy", [bottom, g.feed_integers((n, 1, h, w), c)], TEST, 1))


def finish(g: Builder) -> None:
    """Losses on what nobody reads, or nothing; one loss at least, and what only the TEST net has."""
    for blob in list(g.free):
        shape = g.shapes[blob]
        if blob not in g.floats or g.makers[blob] == "HDF5Data" or not shape:
            continue
        ending = g.rng.choice(("loss", "loss", "weighted", "output", "silence"))
        try:
            if ending == "loss":
                g.grow("EuclideanLoss", [blob, g.alike(blob)], weight(g), floats=False)
            elif ending == "weighted":
                g.grow("Reduction", [blob], f"reduction_param {{ operation: MEAN }} loss_weight: {g.number(0.1, 1)}", floats=False)
            elif ending == "silence":
                g.grow("Silence", [blob], tops=0)
        except Unfit:
            continue
    if not any("Loss" in kind or kind == "Reduction" for kind in g.types):
        top = g.grow("InnerProduct", [g.pick(4)], 'inner_product_param { num_output: 2 weight_filler { type: "xavier" } }')[0]
        g.grow("EuclideanLoss", [top, g.alike(top)], floats=False)
    for kind, bottoms, body, tops in g.ends:
        if all(x in g.shapes for x in bottoms):
            try:
                g.grow(kind, bottoms, body, tops=tops, floats=False)
            except (Unfit, IndexError):
                continue
