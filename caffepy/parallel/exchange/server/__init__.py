"""The parts of the parameter server: who owns what, what an owner keeps, how it travels, and how fast."""
