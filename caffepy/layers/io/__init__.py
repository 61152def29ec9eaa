"""Where data enter a net and leave it."""
