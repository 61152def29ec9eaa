"""What several layers share, and is no layer by itself."""
