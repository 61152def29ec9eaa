"""The communicator over MPI.  Its modules import no MPI before a launcher has started this process."""
