"""Frozen records and their codecs. No I/O, no clock beyond construction time, no policy."""
