"""The gain of one system over another: its units, its influences, its variance and its distributions."""
