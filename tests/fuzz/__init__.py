"""Files of every reader, mutated: each is a result, or an error of one line a problem. See `targets` and `__main__`."""
