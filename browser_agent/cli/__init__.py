"""The command line. Owns arguments, printing and exit codes; decides nothing about pages."""
