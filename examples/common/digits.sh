#!/usr/bin/env bash
# Sourced after start.sh by the examples of digits. Gives $digits: $MNIST, or a folder of drawn digits in MNIST's format.
digits=${MNIST:-$out/digits}
if [ -z "${MNIST:-}" ]; then
    step "drawing digits"
    python examples/common/mnist_digits.py "$digits" --train "$(short 6000 200)" --test "$(short 1000 100)"
fi
