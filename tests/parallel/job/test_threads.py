import pytest

from caffepy.parallel.job import threads
from caffepy.parallel.job.threads import choose_threads, doubt, threads_asked, threads_per_rank
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.single import Single
from tests.parallel.ranks import run_ranks

ALL = set(range(8))


def test_ranks_that_share_all_cores_divide_them() -> None:
    assert threads_per_rank(8, ALL, [ALL] * 2) == 4
    assert threads_per_rank(8, ALL, [ALL] * 3) == 2
    assert threads_per_rank(8, ALL, [ALL] * 16) == 1


def test_hyperthreads_stay_uncounted() -> None:
    assert threads_per_rank(4, ALL, [ALL] * 2) == 2


def test_ranks_bound_to_their_own_cores_keep_them() -> None:
    assert threads_per_rank(4, {0, 1, 2, 3}, [{0, 1, 2, 3}, {4, 5, 6, 7}]) == 4


def test_a_process_alone_keeps_the_default() -> None:
    assert choose_threads(Single(Launch("single", 0, 1, 0, 1, "h")), 7, {}) == 7


@pytest.mark.parametrize(("given", "asked"), [("2", 2), (" 2 ", 2), ("+3", 3), ("4,2", 4), ("03", 3), ("3000000000", 3_000_000_000)])
def test_numbers_of_threads(given: str, asked: int) -> None:
    assert threads_asked({"OMP_NUM_THREADS": given}) == asked


@pytest.mark.parametrize("given", ["0", "abc", "-3", "1e3", "2x", "0x2", "2,0", "2,abc", "9" * 20])
def test_no_numbers_of_threads(given: str) -> None:
    environ = {"OMP_NUM_THREADS": given}
    assert threads_asked(environ) is None
    assert doubt(environ, 2) == f"OMP_NUM_THREADS is '{given}'; needed: a whole number from 1; computing with 2 threads"


def test_more_threads_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_usable_cores", lambda: frozenset({0, 5}))
    needed = "needed: at most 2, the processors that this process may use"
    assert doubt({"OMP_NUM_THREADS": "3"}, 1) == f"OMP_NUM_THREADS is '3'; {needed}; computing with 1 thread"
    for fine in ({"OMP_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": ""}, {}):
        assert doubt(fine, 2) == ""


def test_ranks_divide_the_cores_where_the_environment_asks_for_nothing_that_counts() -> None:
    def chosen(given: str) -> list[int]:
        return run_ranks(2, lambda communicator: choose_threads(communicator, 8, {"OMP_NUM_THREADS": given}))

    assert chosen("8") == [8, 8]
    assert chosen("abc") == chosen("") == [4, 4]
