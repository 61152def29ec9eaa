"""Numbers by the size of others near them: in a batch, a channel, a window, or all classes."""
