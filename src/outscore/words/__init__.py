"""What users read of results: every sentence, one module per kind of result, and the warnings."""
