"""What several ranks need.

Who started them, how they talk, how gradients travel, and who finds the rank that is lost.
"""
