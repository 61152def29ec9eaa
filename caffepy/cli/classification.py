"""``classification``: the five likeliest labels of an image, as Caffe's C++ example prints them."""

from __future__ import annotations

import click


@click.command("classification")
@click.argument("deploy_prototxt")
@click.argument("network_caffemodel")
@click.argument("mean_binaryproto")
@click.argument("labels_txt")
@click.argument("img_jpg")
def command(
    *,
    deploy_prototxt: str,
    network_caffemodel: str,
    mean_binaryproto: str,
    labels_txt: str,
    img_jpg: str,
) -> None:
    """Classify an image with a deploy net.

    LABELS_TXT holds a label a line, one for each output of the net.
    """
    from caffepy.cli.devices import cpu
    from caffepy.scoring.classification import Classifier

    classifier = Classifier(
        deploy_prototxt, network_caffemodel, mean_binaryproto, labels_txt, device=cpu()
    )
    print(f"---------- Prediction for {img_jpg} ----------", flush=True)
    for label, score in classifier.classify(img_jpg):
        print(f'{score:.4f} - "{label}"')
