"""Steps in time: recurrent layers, and labels of sequences."""
