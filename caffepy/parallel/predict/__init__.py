"""How long an iteration would take on another cluster."""
