"""The robot: settings, the loop, hooks and events. Sees browsers and models through ports only."""
