"""Items of each type, and the rows, cells and labels of their scores."""
