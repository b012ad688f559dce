"""What is kept on disk: run folders, the journal. The only code that writes them."""
