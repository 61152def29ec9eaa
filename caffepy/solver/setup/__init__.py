"""All that is made, checked and told before the first iteration."""
