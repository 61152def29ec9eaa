"""Snapshots: written while the training goes on, and read again."""
