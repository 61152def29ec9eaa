"""What is made, checked and logged before the first iteration."""
