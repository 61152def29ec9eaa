"""Images at other places or in another size."""
