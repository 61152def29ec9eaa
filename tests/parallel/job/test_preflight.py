from __future__ import annotations

from dataclasses import replace

from caffepy.parallel.job.preflight import (
    MeasuredLink,
    RankInfo,
    cluster_words,
    differing_versions,
    measure_links,
    measure_processor,
    pairs,
    rank_info,
    without_shared_folder,
)
from caffepy.parallel.predict.cluster_spec import parse_cluster
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.ranks import run_ranks

MEMBER = RankInfo("a", "cpu", 2, "/somewhere", (("Python", "3.11.7"), ("torch", "2.13.0")))


def test_versions_are_compared_with_rank_0s() -> None:
    other = replace(MEMBER, host="b", versions=(("Python", "3.11.7"), ("torch", "2.12.0")))
    assert differing_versions([MEMBER, MEMBER]) == []
    assert differing_versions([MEMBER, MEMBER, other]) == ["rank 2 on b has torch 2.12.0, rank 0 has 2.13.0"]


def test_which_links_are_measured() -> None:
    assert pairs([[0]]) == []
    assert pairs([[0, 1, 2]]) == [(0, 1)]
    assert pairs([[0, 1], [2, 3]]) == [(0, 2), (0, 1), (2, 3)]
    assert pairs([[0], [1], [2]]) == [(0, 1), (1, 2), (2, 0)]


def test_links_of_threads() -> None:
    results = run_ranks(3, measure_links, hosts=["a", "a", "b"])
    assert results[0] == results[1] == results[2]
    assert [(link.first, link.second) for link in results[0]] == [(0, 2), (0, 1)]
    assert all(isinstance(link, MeasuredLink) and link.latency_s > 0 and link.bandwidth > 0 for link in results[0])


def test_a_shared_folder_and_this_rank() -> None:
    def body(c: Communicator) -> tuple[list[int], str]:
        return without_shared_folder(c), rank_info(c, "cpu").device

    assert run_ranks(2, body) == [([], "cpu")] * 2


def test_the_processors_part_in_messages() -> None:
    results = run_ranks(2, lambda c: measure_processor(c, 1e6), hosts=["a", "b"])
    assert results[0] == results[1] >= 0.0
    assert run_ranks(1, lambda c: measure_processor(c, 1e6)) == [0.0]


def test_the_links_as_a_spec() -> None:
    links = [MeasuredLink(0, 2, 20e-6, 1e8), MeasuredLink(2, 4, 30e-6, 1.2e8), MeasuredLink(0, 1, 5e-6, 4e9)]
    spec = cluster_words([[0, 1], [2, 3], [4, 5]], links, 1.26e-9, 8)
    assert spec == "3x2,100MB/s,latency=30us,processor=1.3ns,cores=8"
    cluster = parse_cluster(spec)
    assert cluster.between is not None
    assert (cluster.between.bandwidth, cluster.cores) == (1e8, 8)
