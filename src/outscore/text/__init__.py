"""Words and figures: names, numbers and other spellings, for whoever prints."""
