"""``classification``: the five likeliest labels of images, as Caffe's C++ example prints them."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.cli.commands import TooFewArguments
from caffepy.cli.engine_flag import checked_engine, engine_flag
from caffepy.cli.json_output import Json, json_flag, json_object
from caffepy.cli.picture import check_scale, out_flag
from caffepy.errors import UsageError

PLACE = "classification.cpp:0"


@click.command("classification")
@click.option(
    "-mean",
    "--mean",
    default=None,
    metavar="MEAN",
    help="What is subtracted from pixels: 104,117,123 (blue, green, red), one number, a mean file, "
    "or '' for nothing. Then there is no MEAN_BINARYPROTO.",
)
@click.option(
    "-scale",
    "--scale",
    type=float,
    default=1.0,
    metavar="X",
    help="Factor of the pixels, which are from 0 to 255, after the mean.",
)
@click.option(
    "-crop",
    "--crop",
    default="",
    metavar="N",
    help="Resize images to N x N (or HEIGHT,WIDTH) and take the centre of the size of the net's "
    "input, as for a net that was trained with a crop_size. Without it they are resized to the input.",
)
@engine_flag
@json_flag
@out_flag("Draw the images with bars for their labels to this file.")
@click.argument("deploy_prototxt")
@click.argument("network_caffemodel")
@click.argument(
    "files", nargs=-1, required=True, metavar="[MEAN_BINARYPROTO] LABELS_TXT IMG_JPG..."
)
def command(
    *,
    deploy_prototxt: str,
    network_caffemodel: str,
    files: tuple[str, ...],
    mean: str | None,
    scale: float,
    crop: str,
    engine: str,
    as_json: bool,
    out: str,
) -> None:
    """Classify images with a deploy net.

    LABELS_TXT holds a label a line, one for each output of the net.
    """
    check_scale(scale)
    means, labels, images = divided(files, mean)
    from caffepy.cli.devices import cpu
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.scoring.classification import Classifier
    from caffepy.scoring.training_input import warning

    if out:
        from caffepy.report.classes_chart import MOST_IMAGES, draw_classes

        if len(images) > MOST_IMAGES:
            raise UsageError(f"-out with {len(images)} images; needed: at most {MOST_IMAGES}")
        inputs = (deploy_prototxt, network_caffemodel, labels, *images)
        refuse_overwriting(out, *inputs)
    classifier = Classifier(
        deploy_prototxt,
        network_caffemodel,
        means,
        labels,
        device=cpu(),
        scale=scale,
        resize=size(crop),
        engine=checked_engine(engine, gpu=False),
    )
    differs = warning(deploy_prototxt, network_caffemodel, mean_given=bool(means), scales=(scale,))
    if differs:
        log.warning(PLACE, f"{differs}; see -mean and -scale")
    found = []
    with json_object(wanted=as_json) as result:
        for image in images:
            scores = classifier.classify(image)
            found.append((image, scores))
            if not as_json:
                show(image, scores)
        told: list[Json] = []
        for image, scores in found:
            rows: list[Json] = [{"label": label, "score": score} for label, score in scores]
            told.append({"image": image, "predictions": rows})
        result.update({"model": deploy_prototxt, "weights": network_caffemodel, "images": told})
    if out:
        draw_classes(found, out)


def divided(files: tuple[str, ...], mean: str | None) -> tuple[str, str, tuple[str, ...]]:
    """Mean, file of labels, and images."""
    if len(files) < (3 if mean is None else 2):
        raise TooFewArguments
    if mean is not None:
        return mean, files[0], files[1:]
    return files[0], files[1], files[2:]


def size(text: str) -> tuple[int, int] | None:
    """Height and width of ``256`` or ``256,320``; None for empty text."""
    if not text:
        return None
    try:
        sides = [int(part) for part in text.split(",")]
    except ValueError:
        sides = []
    if len(sides) not in (1, 2) or min(sides) < 1:
        raise UsageError(f"-crop {text}: needed: a number of pixels, or HEIGHT,WIDTH")
    return sides[0], sides[-1]


def show(image: str, scores: list[tuple[str, float]]) -> None:
    """Print an image's labels as Caffe does."""
    print(f"---------- Prediction for {image} ----------", flush=True)
    for label, score in scores:
        print(f'{score:.4f} - "{label}"')
