"""Download one file: ``python -m caffepy.data.convert.fetch FILE MD5 URL...``.

Exit status 1, and one line, if no URL gives the file.
"""

from __future__ import annotations

import hashlib
import os
import sys
import urllib.request
from collections.abc import Sequence

from caffepy.proto.temporary import temporary_path

TIMEOUT_S = 5.0
PIECE_BYTES = 1 << 20


def fetch(file: str, md5: str, urls: Sequence[str]) -> str:
    """Save the file of the first URL that works, if its MD5 is right.

    Returns why no URL worked, or "" if one did.
    """
    temporary = temporary_path(file)
    reasons = []
    for url in urls:
        digest = hashlib.md5(usedforsecurity=False)
        try:
            with (
                urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer,
                open(temporary, "wb") as target,
            ):
                while piece := answer.read(PIECE_BYTES):
                    digest.update(piece)
                    target.write(piece)
            if digest.hexdigest() == md5:
                os.replace(temporary, file)
                return ""
            reasons.append(
                f"{url}: it is not the file that was expected (MD5 {digest.hexdigest()})"
            )
        except (OSError, ValueError) as error:
            reasons.append(f"{url}: {getattr(error, 'reason', None) or error}")
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)
    return "; ".join(reasons)


if __name__ == "__main__":
    reason = fetch(sys.argv[1], sys.argv[2], sys.argv[3:])
    if reason:
        sys.exit(reason)
