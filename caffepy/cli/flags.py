"""The flags that every program of Caffe knows, as data: Caffe's own, glog's and gflags'.

Nothing heavy is imported here: ``caffepy --help`` and the search for the action read these tables.
"""

from __future__ import annotations

from dataclasses import dataclass

BOOL = "bool"
INT32 = "int32"
DOUBLE = "double"
STRING = "string"


@dataclass(frozen=True)
class Flag:
    """One flag: its name without dashes, gflags' type, the default as text.

    ``value`` stands for its value in the help; ``help`` is a sentence about it.
    """

    name: str
    kind: str = STRING
    default: str = ""
    value: str = "TEXT"
    help: str = ""


def table(*flags: Flag) -> dict[str, Flag]:
    """The flags by name, in the order given."""
    return {flag.name: flag for flag in flags}


CAFFE = table(
    Flag("solver", value="FILE", help="Solver definition (prototxt)."),
    Flag("model", value="FILE", help="Net definition (prototxt)."),
    Flag(
        "weights",
        value="FILES",
        help="Weights to start from or to score, separated by commas; not together with -snapshot.",
    ),
    Flag("snapshot", value="FILE", help="Solver state to resume a training from."),
    Flag(
        "gpu",
        value="IDS",
        help="Devices to run on: numbers separated by commas, or 'all';"
        " to train also 'auto': each rank the next one.",
    ),
    Flag("iterations", INT32, "50", "N", "How many iterations to run (test, time)."),
    Flag("phase", value="PHASE", help="Phase of the net, TRAIN or TEST (time)."),
    Flag("level", INT32, "0", "N", "Level of the net's state."),
    Flag("stage", value="NAMES", help="Stages of the net's state, separated by commas."),
    Flag(
        "sigint_effect",
        STRING,
        "stop",
        "ACTION",
        "What an interrupt (SIGINT) does: snapshot, stop or none.",
    ),
    Flag(
        "sighup_effect",
        STRING,
        "snapshot",
        "ACTION",
        "What a hang-up (SIGHUP) does: snapshot, stop or none.",
    ),
)
"""Global in Caffe: each of train, test, time and device_query accepts all of them."""

LOG = table(
    Flag(
        "minloglevel",
        INT32,
        "0",
        "N",
        "Lowest severity shown: 0 info, 1 warning, 2 error, 3 fatal.",
    ),
    Flag("v", INT32, "0", "N", "How talkative; 1 and more also shows where an error came from."),
    Flag("log_dir", value="FOLDER", help="Also write the log to a file in this folder."),
    Flag(
        "log_prefix", BOOL, "true", help="Start each line with severity, time, process and place."
    ),
    Flag("logtostderr", BOOL, "false", help="Log to standard error only, to no file."),
    Flag(
        "alsologtostderr",
        BOOL,
        "true",
        help="Log to standard error as well when -log_dir is given.",
    ),
    Flag(
        "stderrthreshold",
        INT32,
        "2",
        "N",
        "Severity that reaches standard error all the same with -alsologtostderr=false.",
    ),
    Flag("colorlogtostderr", BOOL, "false", help="Colour warnings and errors on a terminal."),
    Flag("log_utc_time", BOOL, "false", help="Write times in UTC."),
)
"""glog's flags that do something here; the environment variable GLOG_<name> sets the default."""

LOG_IGNORED = table(
    Flag("alsologtoemail"),
    Flag("colorlogtostdout", BOOL),
    Flag("drop_log_memory", BOOL),
    Flag("log_backtrace_at"),
    Flag("log_link"),
    Flag("log_year_in_prefix", BOOL),
    Flag("logbuflevel", INT32),
    Flag("logbufsecs", INT32),
    Flag("logcleansecs", INT32),
    Flag("logemaillevel", INT32),
    Flag("logfile_mode", INT32),
    Flag("logmailer"),
    Flag("logtostdout", BOOL),
    Flag("max_log_size", INT32),
    Flag("stop_logging_if_full_disk", BOOL),
    Flag("symbolize_stacktrace", BOOL),
    Flag("timestamp_in_logfile_name", BOOL),
    Flag("vmodule"),
)
"""glog's flags that are accepted, since people's scripts pass them, and have no effect."""

GFLAGS = table(
    Flag(
        "flagfile",
        value="FILES",
        help="Read flags from these files, one a line, '#' starts a comment.",
    ),
    Flag(
        "fromenv",
        value="NAMES",
        help="Take these flags from the environment variables FLAGS_<name>, which must be set.",
    ),
    Flag("tryfromenv", value="NAMES", help="The same; variables that are not set are skipped."),
    Flag("undefok", value="NAMES", help="Flags that may be given although no program knows them."),
)

HELP = table(
    Flag("help", BOOL, help="This text."),
    Flag("h", BOOL),
    Flag("helpshort", BOOL),
    Flag("helpfull", BOOL, help="This text and the flags of the log."),
    Flag("helppackage", BOOL),
    Flag("helpxml", BOOL),
    Flag("helpon"),
    Flag("helpmatch"),
    Flag("version", BOOL, help="The version."),
)
"""Flags that print something and end the program."""

COMMON = {**LOG, **LOG_IGNORED, **GFLAGS, **HELP}
"""What every command accepts beside its own flags."""
