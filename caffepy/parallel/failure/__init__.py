"""Finding a lost rank, saying once which it was, and ending the others.

Imported by a rank's first act: this file imports nothing.
"""
