"""What a violation of a schema means for an author, in words and as a fix."""
