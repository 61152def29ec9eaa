"""One function of each element."""
