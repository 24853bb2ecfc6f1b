"""Tables of scores: files of rows and columns."""
