"""A training log as glog writes it, for the tests of its readers."""

from __future__ import annotations

LOG = """Log file created at: 2023/12/31 23:58:00
Running on machine: here
I1231 23:58:10.000000 12345 caffe.cpp:197] Use CPU.
layer {
  name: "Iteration 7, loss = 3"
}
I1231 23:59:50.500000 12345 solver.cpp:289] Solving a net
I1231 23:59:51.000000 12345 solver.cpp:347] Iteration 0, Testing net (#0)
I1231 23:59:51.500000 12345 solver.cpp:414]     Test net output #0: acc = 0.1
I1231 23:59:51.750000 12345 solver.cpp:414]     Test net output #1: loss = 2.3 (* 1 = 2.3 loss)
I1231 23:59:52.000000 12345 solver.cpp:239] Iteration 0 (-1.2e-37 iter/s, 0.1s/10 iters), loss = 2.5
I1231 23:59:52.000001 12345 solver.cpp:258]     Train net output #0: loss = 2.6 (* 1 = 2.6 loss)
I1231 23:59:52.000002 12345 sgd_solver.cpp:112] Iteration 0, lr = 0.01
I0101 00:00:50.500000 12345 solver.cpp:239] Iteration 10 (0.1 iter/s, 58s/10 iters), loss = 1e-07
I0101 00:00:50.500001 12345 solver.cpp:258]     Train net output #0: loss = -nan (* 1 = -nan loss)
I0101 00:00:50.500002 12345 sgd_solver.cpp:112] Iteration 10, lr = 0.001
I0101 00:00:51.000000 12345 solver.cpp:347] Iteration 10, Testing net (#0)
I0101 00:00:51.500000 12345 solver.cpp:414]     Test net output #0: acc = 1
I0101 00:00:51.750000 12345 solver.cpp:414]     Test net output #1: loss = 0.5 (* 1 = 0.5 loss)
I0101 00:00:52.000000 12345 solver.cpp:332] Optimization Done.
"""
"""Two displays and two tests over the end of a year."""
