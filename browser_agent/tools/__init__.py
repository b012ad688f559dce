"""Tools: what a model may call. Names, schemas and handlers; no browser, model or store code."""
