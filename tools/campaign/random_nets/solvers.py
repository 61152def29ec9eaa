"""Random solvers of all types, policies and extras."""

from __future__ import annotations

from tools.campaign.random_nets.builder import Builder

ITERATIONS = 4
TYPES = {
    "SGD": ("momentum: 0.9", "momentum: 0", ""),
    "Nesterov": ("momentum: 0.9", "momentum: 0.5"),
    "AdaGrad": ("delta: 0.001", "delta: 0.1"),
    "RMSProp": ("rms_decay: 0.9 delta: 0.01", "rms_decay: 0.5 delta: 0.1"),
    "AdaDelta": ("momentum: 0.95 delta: 0.001", "momentum: 0.5 delta: 0.01"),
    "Adam": ("momentum: 0.9 momentum2: 0.999 delta: 0.001", "momentum: 0.5 momentum2: 0.9 delta: 0.01"),
}
POLICIES = (
    'lr_policy: "fixed"',
    'lr_policy: "step" gamma: 0.5 stepsize: 2',
    'lr_policy: "exp" gamma: 0.9',
    'lr_policy: "inv" gamma: 0.1 power: 0.75',
    'lr_policy: "multistep" gamma: 0.5 stepvalue: 1 stepvalue: 3',
    'lr_policy: "poly" power: 2',
    'lr_policy: "sigmoid" gamma: 0.5 stepsize: 2',
)
FORK_POLICIES = (
    'lr_policy: "plateau" gamma: 0.5 plateau_winsize: 1',
    'lr_policy: "multifixed" stagelr: 0.01 stagelr: 0.001 stageiter: 2 stageiter: 9',
)
"""Of SSD and Intel."""


def solver_text(g: Builder) -> str:
    """The solver's file, beside ``net``."""
    kind = g.rng.choice(sorted(TYPES))
    policies = POLICIES if g.bvlc else POLICIES + FORK_POLICIES
    fields = [
        f'net: "net" type: "{kind}" base_lr: {g.rng.choice((0.001, 0.01, 0.05))} {g.rng.choice(TYPES[kind])} {g.rng.choice(policies)}',
        f"max_iter: {ITERATIONS * 2} random_seed: {g.rng.randint(0, 1 << 30)} display: 0 test_iter: 2 test_interval: 1000",
        f'snapshot_prefix: "s" test_initialization: false average_loss: {g.rng.choice((1, 3))} snapshot_after_train: false',
    ]
    if g.chance(0.5):
        fields.append(f'weight_decay: {g.number(0, 0.1)} regularization_type: "{g.rng.choice(("L1", "L2"))}"')
    if g.chance(0.3):
        fields.append(f"clip_gradients: {g.number(0.01, 5)}")
    if g.chance(0.3):
        fields.append("iter_size: 2")
    return "\n".join([*fields, ""])
