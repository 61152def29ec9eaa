import sys

from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.connect import connect
from caffepy.parallel.transport.single import Single


def test_one_rank_is_single_and_loads_no_mpi() -> None:
    before = set(sys.modules)
    assert isinstance(connect(Launch("mpich", 0, 1, 0, 1, "h"), {}), Single)
    assert not {name for name in set(sys.modules) - before if name.startswith("mpi4py")}
