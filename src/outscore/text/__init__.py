"""Names, numbers and other spellings as text."""
