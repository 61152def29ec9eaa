"""The -gpu flag: ``all`` or device numbers separated by commas."""

from __future__ import annotations

from caffepy.errors import UsageError


def gpu_numbers(text: str, available: int, *, flag: str = "-gpu") -> tuple[int, ...]:
    """The devices that -gpu names, in order; none for empty text.

    UsageError for what is no number, or the number of no device.
    """
    if text == "all":
        return tuple(range(available))
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        if not (part.isascii() and part.strip().isdecimal()):
            raise UsageError(
                f"{flag} {text}: '{part}' is no device number;"
                " give 'all' or numbers separated by commas"
            )
        number = int(part)
        if number >= available:
            raise UsageError(
                f"{flag} {text}: there is no device {number};"
                f" this machine has {available} (numbered from 0)"
            )
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))
