"""The communicator over MPI.

Its modules load no MPI before a launcher has started this process.
"""
