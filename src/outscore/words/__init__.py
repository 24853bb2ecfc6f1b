"""The sentences about results: one module per kind of result, and one for the warnings."""
