"""Losses: what a training minimises."""
