"""The spellings of gflags."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from caffepy.cli.flags import CAFFE, COMMON, Flag
from caffepy.cli.gflags import FlagError, Scan, refuse_unknown, scan

FLAGS = {
    **CAFFE,
    **COMMON,
    "shuffle": Flag("shuffle", "bool"),
    "resize_width": Flag("resize_width", "int32"),
    "rate": Flag("rate", "double"),
}


def read(*argv: str) -> Scan:
    result = scan(argv, FLAGS)
    refuse_unknown(result, FLAGS)
    return result


@pytest.mark.parametrize("words", [["-solver", "a"], ["-solver=a"], ["--solver", "a"], ["--solver=a"], ["-solver=b", "--solver", "a"]])
def test_dashes_equals_and_the_last_wins(words: list[str]) -> None:
    assert read(*words).last("solver") == "a"
    assert read("train", *words).arguments == ["train"]
    assert read(*words, "train").arguments == ["train"]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["-shuffle"], "true"),
        (["--shuffle"], "true"),
        (["-noshuffle"], "false"),
        (["--noshuffle"], "false"),
        (["-shuffle=false"], "false"),
        (["-shuffle=0"], "false"),
        (["-shuffle=No"], "false"),
        (["-shuffle=T"], "true"),
        (["-shuffle", "-noshuffle"], "false"),
        (["-noshuffle", "-shuffle=yes"], "true"),
    ],
)
def test_switches(words: list[str], value: str) -> None:
    assert read(*words).last("shuffle") == value


def test_a_switch_takes_no_following_word() -> None:
    assert read("-shuffle", "false").arguments == ["false"]
    assert read("-shuffle", "false").last("shuffle") == "true"


def test_values_may_start_with_a_dash() -> None:
    assert read("-level", "-1").last("level") == "-1"
    assert read("-weights", "-odd.caffemodel", "train").last("weights") == "-odd.caffemodel"
    assert read("-level=-1").last("level") == "-1"


def test_values_may_hold_equals_and_may_be_empty() -> None:
    assert read("-model=a=b.prototxt").last("model") == "a=b.prototxt"
    assert read("-model=").last("model") == ""
    assert read("-model", "").last("model") == ""


def test_dashes_in_names_are_underscores() -> None:
    assert read("--resize-width=3").last("resize_width") == "3"


def test_arguments_stand_anywhere_and_a_double_dash_ends_flags() -> None:
    result = read("root/", "-shuffle", "list.txt", "-resize_width", "7", "db")
    assert result.arguments == ["root/", "list.txt", "db"]
    assert read("a", "--", "-solver", "b").arguments == ["a", "-solver", "b"]
    assert read("-").arguments == ["-"]


@pytest.mark.parametrize("text", ["\u0663", "\xa012", "1" * 5000, "0xffffffff"])
def test_what_python_takes_for_a_number(text: str) -> None:
    with pytest.raises(FlagError, match="illegal value"):
        read(f"-iterations={text}")


@pytest.mark.parametrize(
    "text",
    ["abc", "", " ", "+", "1.5", "1e3", "2147483648", "-2147483649", "0x1g", "0x", "-0x10", " 0x10", "1_000", "12 ", "1 2", "- 1", "0b1"],
)
def test_what_is_no_int32(text: str) -> None:
    with pytest.raises(FlagError, match=f"illegal value '{re.escape(text)}' specified for int32 flag 'iterations'"):
        read(f"-iterations={text}")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", "7"),
        ("+7", "7"),
        ("-7", "-7"),
        ("0x10", "16"),
        ("0XfF", "255"),
        ("2147483647", "2147483647"),
        (" 12", "12"),
        ("\t\n-012", "-12"),
    ],
)
def test_what_is_int32(text: str, number: str) -> None:
    assert read("-iterations", text).last("iterations") == number


@pytest.mark.parametrize(
    "text", ["", " ", "1e", "1_0", "0.5 ", "1e400", "-1e400", "0x", "0x1p9999", "infinit", "1,5", "\u0663", "1d3", "0.1f"]
)
def test_what_is_no_double(text: str) -> None:
    with pytest.raises(FlagError, match=f"illegal value '{text}' specified for double flag 'rate'"):
        read(f"-rate={text}")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("1e3", 1000),
        ("+5", 5),
        (" .5", 0.5),
        ("-5.", -5),
        ("0x10", 16),
        ("-0x1.8P1", -3),
        ("Inf", math.inf),
        ("-infinity", -math.inf),
    ],
)
def test_what_is_double(text: str, number: float) -> None:
    assert float(read("-rate", text).last("rate")) == number
    assert math.isnan(float(read("-rate", "NaN").last("rate")))


@pytest.mark.parametrize("text", ["maybe", "", "2", "on", "off", " true", "true ", "ye", "01"])
def test_illegal_switch(text: str) -> None:
    with pytest.raises(FlagError, match=f"illegal value '{text}' specified for bool flag 'shuffle'"):
        read(f"-shuffle={text}")


def test_a_value_is_lost_on_a_switch_that_is_turned_off() -> None:
    assert read("-noshuffle=true").last("shuffle") == "false"


def test_missing_value() -> None:
    with pytest.raises(FlagError, match="flag 'solver' is missing its argument"):
        read("train", "-solver")


def test_unknown_flag_names_the_nearest() -> None:
    with pytest.raises(FlagError, match="unknown command line flag 'sovler'; nearest: 'solver'"):
        read("train", "-sovler", "a")
    with pytest.raises(FlagError, match=r"unknown command line flag 'frobnicate'$"):
        read("-frobnicate=1")
    with pytest.raises(FlagError, match="unknown command line flag 'nosolver'"):
        read("-nosolver")


def test_single_letters_are_not_bundled() -> None:
    with pytest.raises(FlagError, match="unknown command line flag 'sv'"):
        read("-sv")


def test_undefok() -> None:
    assert read("-undefok=mkl,knl", "-mkl=1", "-noknl", "train").arguments == ["train"]
    with pytest.raises(FlagError, match="'other'"):
        read("-undefok=mkl", "-other=1")


def test_flagfile(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.txt", tmp_path / "outer.txt"
    inner.write_text("--model=from inner\n-iterations 7\n")
    outer.write_text(f"# a comment\n\n  -solver=s.prototxt\n--weights 'a b.caffemodel'\n-shuffle\n-flagfile={inner}\n")
    result = read("-iterations=3", f"-flagfile={outer}", "train")
    assert [result.last(name) for name in ("solver", "weights", "shuffle", "model", "iterations")] == [
        "s.prototxt",
        "a b.caffemodel",
        "true",
        "from inner",
        "7",
    ]
    assert result.arguments == ["train"]
    assert read(f"-flagfile={outer}", "-iterations=3").last("iterations") == "3"


def test_flagfile_lines_are_read_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "flags.txt"
    file.write_text("-solver\n-model=a\n")
    with pytest.raises(FlagError, match="flag 'solver' is missing its argument"):
        read("-flagfile", str(file))


def test_unknown_flags_of_a_flagfile_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "flags.txt"
    file.write_text("-level=1\n-other=3\n-another 4\n-stage=all\n")
    result = read(f"-flagfile={file}", "train")
    assert (result.last("level"), result.last("stage"), result.arguments) == ("1", "all", ["train"])
    assert result.passed_over == ["other", "another"]


def test_flagfile_for_other_programs(tmp_path: Path) -> None:
    file = tmp_path / "flags.txt"
    file.write_text("-level=1\nconvert_*\n-level=2\ncaffe\n-iterations=9\n*\n-stage=all\n")
    result = read(f"-flagfile={file}")
    assert (result.last("level"), result.last("iterations"), result.last("stage")) == ("1", "9", "all")


def test_flagfile_missing_and_endless(tmp_path: Path) -> None:
    with pytest.raises(FlagError, match="No such file"):
        read(f"-flagfile={tmp_path}/none")
    file = tmp_path / "flags.txt"
    file.write_text(f"-flagfile={file}\n")
    with pytest.raises(FlagError, match="includes itself"):
        read(f"-flagfile={file}")


def test_flags_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGS_solver", "env.prototxt")
    assert read("-fromenv=solver").last("solver") == "env.prototxt"
    assert read("-tryfromenv=solver,model", "-solver=mine").last("solver") == "mine"
    with pytest.raises(FlagError, match="FLAGS_model not found in environment"):
        read("-fromenv=model")
