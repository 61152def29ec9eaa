"""lr_mult and decay_mult as parameter groups of torch's optimizers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from caffepy.net.graph import Graph
from caffepy.report.pytorch.lines import COLUMNS
from caffepy.report.pytorch.step import Learned, Module, number

Mults = tuple[float, float]


def parameter_groups(graph: Graph, modules: Iterable[tuple[str, Module]]) -> list[str]:
    """The lines of a method ``parameter_groups(lr, weight_decay)``.

    ``modules``: those with parameters of their own, with their paths.
    The multipliers are told by a parameter's last name; where that is not enough by its module's
    class too, or by its whole name.
    """
    mults: dict[str, Mults] = {}
    kinds: dict[str, str] = {}
    for path, module in modules:
        for name, blob in module.learned.items():
            whole = f"{path}.{name}"
            mults[whole], kinds[whole] = (
                _mults(graph, blob),
                f"{module.cls.rpartition('.')[2]}.{name}",
            )
    endings = {name: name.rpartition(".")[2] for name in mults}
    by_ending = _usual(mults, endings)
    plain = all(by_ending[endings[name]] == pair for name, pair in mults.items())
    usual = by_ending if plain else _usual(mults, kinds)
    single = (
        {} if plain else {name: pair for name, pair in mults.items() if pair != usual[kinds[name]]}
    )
    texts = [
        f'"{name}": ({number(lr)}, {number(decay)})'
        for name, (lr, decay) in {**usual, **single}.items()
    ]
    table = f"        mults = {{{', '.join(texts)}}}"
    lines = [
        "    def parameter_groups(self, lr, weight_decay):",
        '        """For an optimizer: lr by lr_mult (0: left out), weight_decay by decay_mult."""',
        *(
            [table]
            if len(table) <= COLUMNS
            else ["        mults = {", *(f"            {text}," for text in texts), "        }"]
        ),
        "        groups = []",
        "        for name, parameter in self.named_parameters():",
        '            path, _, own = name.rpartition(".")',
    ]
    if plain:
        lines[-1] = '            lr_mult, decay_mult = mults[name.rpartition(".")[2]]'
    else:
        lines.append('            kind = f"{type(self.get_submodule(path)).__name__}.{own}"')
        own = "mults.get(name) or mults[kind]" if single else "mults[kind]"
        lines.append(f"            lr_mult, decay_mult = {own}")
    return [
        *lines,
        "            if lr_mult:",
        '                rates = {"lr": lr * lr_mult, "weight_decay": weight_decay * decay_mult}',
        '                groups.append({"params": [parameter], **rates})',
        "        return groups",
    ]


def _usual(mults: Mapping[str, Mults], kinds: Mapping[str, str]) -> dict[str, Mults]:
    """What most parameters of each kind have."""
    found: dict[str, list[Mults]] = defaultdict(list)
    for name, pair in mults.items():
        found[kinds[name]].append(pair)
    return {kind: Counter(pairs).most_common(1)[0][0] for kind, pairs in found.items()}


def _mults(graph: Graph, blob: Learned) -> Mults:
    owner = graph.params[graph.params[blob.param].owner]
    return owner.lr_mult, owner.decay_mult
