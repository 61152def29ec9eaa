from __future__ import annotations

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.job.join import describe, join_job
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.single import Single

ALONE = Launch("mpich", 0, 1, 0, 1, "h")


def test_a_process_alone_gets_the_single_communicator() -> None:
    with join_job(ALONE, {}) as communicator:
        assert isinstance(communicator, Single)


def test_a_process_alone_keeps_its_errors() -> None:
    with pytest.raises(ZeroDivisionError), join_job(ALONE, {}):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ParallelError("a: no\n  b"), "a: no; b"),
        (KeyboardInterrupt(), "interrupted"),
        (SystemExit(3), "left the job with status 3"),
        (SystemExit(), "left the job with status 0"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_an_error_in_one_line(error: BaseException, text: str) -> None:
    assert describe(error) == text
