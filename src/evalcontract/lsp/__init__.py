"""The language server: what the command line finds, live in an editor, and help while writing."""
