"""Where an iteration's gradients are, between the pass that computes them and their update."""

from __future__ import annotations

from enum import Enum

from caffepy.solver.updating.iteration import Iteration


class State(Enum):
    """Of one rank's gradients."""

    UPDATED = "all parameters are updated"
    COMPUTING = "the pass that computes the gradients has begun; earlier updates may still be due"
    TRAVELLING = "gradients are on their way to the other ranks"
    PENDING = "the exchange has all gradients; each parameter is updated when it is next used"


TRANSITIONS = {
    (State.UPDATED, "begin"): State.COMPUTING,
    (State.PENDING, "begin"): State.COMPUTING,
    (State.COMPUTING, "send"): State.TRAVELLING,
    (State.TRAVELLING, "hand_over"): State.PENDING,
    (State.PENDING, "wait"): State.UPDATED,
    (State.UPDATED, "wait"): State.UPDATED,
    (State.UPDATED, "cancel"): State.UPDATED,
    (State.COMPUTING, "cancel"): State.UPDATED,
    (State.TRAVELLING, "cancel"): State.UPDATED,
    (State.PENDING, "cancel"): State.UPDATED,
}
"""The state after each event.  An event that is not listed for a state is an error."""


class UpdateState:
    """The state of the current update, and the iterations that it belongs to.

        UPDATED    -- begin     --> COMPUTING
        PENDING    -- begin     --> COMPUTING
        COMPUTING  -- send      --> TRAVELLING
        TRAVELLING -- hand_over --> PENDING
        PENDING    -- wait      --> UPDATED
        UPDATED    -- wait      --> UPDATED
        UPDATED    -- cancel    --> UPDATED
        COMPUTING  -- cancel    --> UPDATED
        TRAVELLING -- cancel    --> UPDATED
        PENDING    -- cancel    --> UPDATED

    begin: the last forward and backward pass of an iteration begins.
    send: the first gradient of that pass is complete, or the pass is over.
    hand_over: the pass is over, and the exchange has all its gradients.
    wait: someone is about to read the parameters, or updates are not left until then.
    cancel: recording the iteration as a CUDA graph has failed, and nothing of it was done.

    ``current``: the iteration whose gradients travel or whose updates are due.
    ``coming``: the one whose pass has begun last.
    """

    def __init__(self) -> None:
        self.state = State.UPDATED
        self.current = Iteration(0, lambda: 0.0)
        self.coming = self.current

    @property
    def all_updated(self) -> bool:
        """No update is due."""
        return self.state is State.UPDATED

    @property
    def takes_gradients(self) -> bool:
        """Whether a gradient that is complete now is final.

        In the passes before an iteration's last one it is only a part of the sum.
        """
        return self.state in (State.COMPUTING, State.TRAVELLING)

    @property
    def nothing_sent(self) -> bool:
        """The next gradient is the first one of ``coming``."""
        return self.state is State.COMPUTING

    def begin(self, iteration: Iteration) -> None:
        """The last pass of ``iteration`` begins."""
        self._go_on("begin")
        self.coming = iteration

    def send(self) -> None:
        """The first gradient of ``coming`` is sent."""
        self._go_on("send")
        self.current = self.coming

    def hand_over(self) -> None:
        """The exchange has all gradients of the iteration."""
        self._go_on("hand_over")

    def wait(self) -> None:
        """All updates are made."""
        self._go_on("wait")

    def cancel(self) -> None:
        """Nothing of what has begun is done."""
        self._go_on("cancel")

    def _go_on(self, event: str) -> None:
        following = TRANSITIONS.get((self.state, event))
        if following is None:
            raise RuntimeError(f"{event} while {self.state.name}: {self.state.value}")
        self.state = following
