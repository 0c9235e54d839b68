"""The report as one HTML page: what it shows, and how that becomes the text of a file."""
