"""What every exchange is, and what those share that send gradients in buckets."""
