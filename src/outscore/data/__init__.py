"""What is read: items of each type, and the rows, cells and labels of their scores."""
