"""Products with learned weights, and sums and products of bottoms."""
