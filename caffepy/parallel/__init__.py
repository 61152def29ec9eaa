"""What several ranks need: who started them, how they talk, how gradients travel, and who finds the one that is lost."""
