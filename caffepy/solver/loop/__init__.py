"""What the loop looks at: loss, speed, signals, the other ranks."""
