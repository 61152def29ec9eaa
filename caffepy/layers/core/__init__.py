"""What every layer uses: the base class, the registry, random numbers, fillers."""
