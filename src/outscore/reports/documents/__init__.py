"""What each kind of result says: one document of it, which all formats write."""
