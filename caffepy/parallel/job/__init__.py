"""What the ranks of one job agree on: how they start, share data and threads, and stay equal."""
