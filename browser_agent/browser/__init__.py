"""The only code that touches Playwright: launch, sessions, operations, egress, cleanup."""
