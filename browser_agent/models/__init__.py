"""Language models: by litellm, built in without one, scripted for tests."""
