"""Files of cached scores, which are read in place of outputs."""
