from __future__ import annotations

import pytest

from caffepy.errors import UsageError
from caffepy.parallel.predict.cluster_spec import LINKS, MEMORY, parse_cluster


def test_a_size_and_a_rate() -> None:
    cluster = parse_cluster("2x3, 100mbit")
    assert cluster.between is not None
    assert cluster.between.bandwidth == pytest.approx(0.95 * 100e6 / 8)
    assert (cluster.hosts, cluster.ranks_per_host, cluster.inside, cluster.sizes()) == (2, 3, MEMORY, [6])
    assert [list(group) for group in cluster.groups(6)] == [[0, 1, 2], [3, 4, 5]]


def test_a_known_link_and_all_sizes() -> None:
    cluster = parse_cluster("ranks_per_host=4,IB-EDR")
    assert cluster.between == LINKS["ib-edr"]
    assert cluster.sizes() == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    assert [len(group) for group in cluster.groups(2)] == [2]
    assert [len(group) for group in cluster.groups(16)] == [4] * 4


def test_one_host_needs_no_link() -> None:
    cluster = parse_cluster("1x4,inside=5GB/s")
    assert cluster.between is None
    assert cluster.inside.bandwidth == 5e9


def test_payload_and_latency() -> None:
    cluster = parse_cluster("2x1,900MB/s,latency=.5ms")
    assert cluster.between is not None
    assert cluster.between.bandwidth == 900e6
    assert cluster.between.latency_s == pytest.approx(0.5e-3)


def test_processors() -> None:
    cluster = parse_cluster("4x6,1gbe,processor=2.5ns,cores=4")
    assert cluster.between is not None
    assert cluster.between.processor == pytest.approx(2.5e-9)
    assert (cluster.crowd(24), cluster.crowd(24, threads=2), cluster.crowd(2)) == (1.5, 3.0, 1.0)
    assert parse_cluster("4x6,1gbe").crowd(24, threads=64) == 1.0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "'' is unknown"),
        ("2x2", "no link between the hosts is named"),
        ("ranks_per_host=2", "no link between the hosts is named"),
        ("ib-edd", "'ib-edd' is unknown; nearest: 'ib-edr'"),
        ("rank_per_host=2,10gbe", "nearest: 'ranks_per_host'"),
        ("10gbe,40gbe", "'40gbe' is a second link"),
        ("2x2,4x4,10gbe", "'4x4' is a second size"),
        ("2x2,ranks_per_host=2,10gbe", "both say how many ranks"),
        ("1x1,10gbe", "1x1 makes no two ranks"),
        ("0x4,10gbe", "0x4 makes no two ranks"),
        ("999999x9,10gbe", "999999x9 makes more than 65536 ranks"),
        ("10gbe,ranks_per_host=0", "ranks_per_host=0 is no number of ranks"),
        ("10gbe,cores=0", "cores=0 is no number of cores"),
        ("10gbe,latency=20", "latency=20 is no number with a unit of ns, us, ms, s"),
        ("10gbe,latency=1us,latency=2us", "latency is there twice"),
        ("10gbe,inside=fast", "inside=fast is no number with a unit"),
        ("0mbit", "'0mbit' is unknown"),
    ],
)
def test_what_is_wrong_is_said(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_cluster(spec)
    assert f"-cluster {spec}: " in str(caught.value)
    assert message in str(caught.value)
    assert "Example: 2x2,100mbit" in str(caught.value)
