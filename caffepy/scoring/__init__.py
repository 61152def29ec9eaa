"""What runs nets without training them: scores of tests, times of layers, features, labels."""
