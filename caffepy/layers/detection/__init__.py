"""Boxes and regions of images: priors, proposals, their losses and results."""
