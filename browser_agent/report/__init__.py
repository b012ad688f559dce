"""The report: one static page of a run. Reads a run folder, writes one file, asks nobody."""
