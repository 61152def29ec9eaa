"""What every layer is and every family uses: the base class, the registry, random numbers, fillers."""
