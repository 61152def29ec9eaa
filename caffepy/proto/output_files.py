"""Output files: they must not overwrite the files that they are made from."""

from __future__ import annotations

import os

from caffepy.errors import UsageError


def refuse_overwriting(target: str, *sources: str) -> None:
    """UsageError if ``target`` is one of the ``sources`` that it is made from."""
    for source in sources:
        if os.path.isfile(source) and os.path.exists(target) and os.path.samefile(source, target):
            raise UsageError(
                f"{target} would be overwritten, and it is what is read; needed: another name"
                " for what is written"
            )


def refuse_no_folder(target: str) -> None:
    """UsageError if the folder of ``target`` is not there, before work for it is done."""
    folder = os.path.dirname(target)
    if folder and not os.path.isdir(folder):
        raise UsageError(f"{target}: there is no folder {folder} (looked in {os.getcwd()})")
