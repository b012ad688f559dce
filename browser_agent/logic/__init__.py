"""Pure rules: no await, no clock, no disk, no randomness of its own."""
