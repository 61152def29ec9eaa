"""Where the gradients of an iteration are, between the pass that computes them and the update that they make."""

from __future__ import annotations

from enum import Enum

from caffepy.solver.updating.iteration import Iteration


class State(Enum):
    """Of one rank's gradients."""

    SETTLED = "all parameters are updated"
    ANNOUNCED = "the pass has begun that computes an iteration's gradients; updates of the one before may still be due"
    TRAVELLING = "gradients of the iteration are on their way"
    PENDING = "all of them were given to the exchange; a parameter is updated when it is next used, or when all are settled"


TRANSITIONS = {
    (State.SETTLED, "announce"): State.ANNOUNCED,
    (State.PENDING, "announce"): State.ANNOUNCED,
    (State.ANNOUNCED, "enter"): State.TRAVELLING,
    (State.TRAVELLING, "hand_over"): State.PENDING,
    (State.PENDING, "settle"): State.SETTLED,
    (State.SETTLED, "settle"): State.SETTLED,
    (State.ANNOUNCED, "forget"): State.SETTLED,
    (State.TRAVELLING, "forget"): State.SETTLED,
    (State.PENDING, "forget"): State.SETTLED,
    (State.SETTLED, "forget"): State.SETTLED,
}
"""By state and event; there are no others."""


class UpdateState:
    """The state, and the iterations that it is about.

        SETTLED    -- announce  --> ANNOUNCED
        PENDING    -- announce  --> ANNOUNCED
        ANNOUNCED  -- enter     --> TRAVELLING
        TRAVELLING -- hand_over --> PENDING
        PENDING    -- settle    --> SETTLED
        SETTLED    -- settle    --> SETTLED
        ANNOUNCED  -- forget    --> SETTLED
        TRAVELLING -- forget    --> SETTLED
        PENDING    -- forget    --> SETTLED
        SETTLED    -- forget    --> SETTLED

    announce: the last pass of an iteration begins. enter: its first gradient is complete, or its pass is over.
    hand_over: the pass is over. settle: somebody wants to look at the parameters, or updates are not left until then.
    forget: a recording of all this has failed, and nothing of it was done.

    ``current``: the iteration whose gradients travel or whose updates are due. ``announced``: the one that comes.
    """

    def __init__(self) -> None:
        self.state = State.SETTLED
        self.current = self.announced = Iteration(0, lambda: 0.0)

    @property
    def is_settled(self) -> bool:
        """No update is due."""
        return self.state is State.SETTLED

    @property
    def takes_gradients(self) -> bool:
        """Gradients that become complete now are those of `announced`; in the passes before its last one they are parts of them."""
        return self.state in (State.ANNOUNCED, State.TRAVELLING)

    @property
    def is_announced(self) -> bool:
        """The next gradient is the first one of `announced`."""
        return self.state is State.ANNOUNCED

    def announce(self, iteration: Iteration) -> None:
        """The pass that comes is the last one of ``iteration``."""
        self._go_on("announce")
        self.announced = iteration

    def enter(self) -> None:
        """From now on gradients are those of the iteration that was announced."""
        self._go_on("enter")
        self.current = self.announced

    def hand_over(self) -> None:
        """All gradients of the iteration were given to the exchange."""
        self._go_on("hand_over")

    def settle(self) -> None:
        """All updates are made."""
        self._go_on("settle")

    def forget(self) -> None:
        """What was announced is not going to be."""
        self._go_on("forget")

    def _go_on(self, event: str) -> None:
        following = TRANSITIONS.get((self.state, event))
        if following is None:
            raise RuntimeError(f"{event} while {self.state.name}: {self.state.value}")
        self.state = following
