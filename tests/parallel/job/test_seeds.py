from caffepy.parallel.job.seeds import rank_seed


def test_the_rank_is_added_unless_no_seed_was_asked_for() -> None:
    assert [rank_seed(1701, rank) for rank in range(3)] == [1701, 1702, 1703]
    assert rank_seed(-1, 3) == -1
    assert rank_seed(0, 0) == 0
