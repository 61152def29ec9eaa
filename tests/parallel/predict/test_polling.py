from __future__ import annotations

import time

from caffepy.parallel.collective.courier import PERIOD_S
from caffepy.parallel.predict.polling import measure_polling
from caffepy.parallel.transport.transfer import NAP_S


def test_sleepers_wake_no_sooner_than_asked() -> None:
    polling = measure_polling(lambda: time.sleep(0.02))
    assert polling.computing_s >= PERIOD_S / 2
    assert polling.waiting_s >= NAP_S / 2


def test_a_pass_that_is_over_at_once() -> None:
    assert measure_polling(lambda: None).computing_s >= PERIOD_S / 2
