"""Gradients of InnerProduct layers that travel as sufficient factors."""
