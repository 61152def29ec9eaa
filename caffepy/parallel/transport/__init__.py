"""What ranks can do with each other: over MPI, over torch.distributed, or alone."""
