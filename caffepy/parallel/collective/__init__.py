"""Rings and trees of ranks as tasks that go on beside the computing."""
