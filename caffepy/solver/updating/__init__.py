"""From gradients to an update: by one rank, by several, or recorded on a GPU."""
