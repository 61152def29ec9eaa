from __future__ import annotations

import time

from caffepy.parallel.collective.courier import NAP_S, PERIOD_S
from caffepy.parallel.predict.looks import measure_looks


def test_sleepers_wake_no_sooner_than_asked() -> None:
    looks = measure_looks(lambda: time.sleep(0.02))
    assert looks.computing_s >= PERIOD_S / 2
    assert looks.waiting_s >= NAP_S / 2


def test_a_pass_that_is_over_at_once() -> None:
    assert measure_looks(lambda: None).computing_s >= PERIOD_S / 2
