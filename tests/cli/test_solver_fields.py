"""Fields of a solver that were taken for flags."""

from __future__ import annotations

import pytest

from caffepy.cli.main import run
from caffepy.cli.solver_fields import field_advice


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train -max_iter 100", "'max_iter'; it is a field of the solver: -set max_iter=VALUE"),
        ("train --base-lr=0.1", "'base_lr'; it is a field of the solver: -set base_lr=VALUE"),
        ("-max_iter 100 train", "'max_iter'; it is a field of the solver: -set max_iter=VALUE"),
        ("-max_iter 100", "'max_iter'; it is a field of the solver, which caffepy train takes as -set max_iter=VALUE"),
        ("test -test_iter=3", "'test_iter'; it is a field of the solver, which caffepy train takes as -set test_iter=VALUE"),
        ("train -engine auto", "'engine'; it is a flag of test, extract_features, classification, not of train"),
        ("train -lr 0.1", "'lr'; it is a field of the solver: -set base_lr=VALUE"),
        ("train -batch_size 8", "it is a field of the net's data layer: -set net_param.layer[NAME].data_param.batch_size=VALUE"),
        ("train -max_itr 100", "'max_itr'; nearest: the solver's field 'max_iter': -set max_iter=VALUE"),
        ("train -itrations 5", "'itrations'; nearest: 'iterations'"),
        ("train -max_log_siz 5", "'max_log_siz'\n"),
        ("convert_imageset -max_iter 5", "'max_iter'\n"),
        ("train -set base_lr 0.1", "caffepy train takes no argument, but '0.1' was given; needed: -set base_lr=0.1"),
    ],
)
def test_what_is_said(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", words.split()) == 1
    err = capsys.readouterr().err
    assert err.startswith("ERROR: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_flag_of_bytes_that_are_no_text() -> None:
    assert field_advice("\udcff", "; nearest: 'x'", "train") == "; nearest: 'x'"
