"""How good predictions are, and which they are."""
