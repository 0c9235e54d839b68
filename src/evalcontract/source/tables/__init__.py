"""Tables: delimited text, files with typed columns, and rows in memory."""
