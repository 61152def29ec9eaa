from caffepy.parallel.environment import Launch
from caffepy.parallel.single import Single
from caffepy.parallel.threads import choose_threads, threads_per_rank

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
