"""What texts mean without running them: templates, patterns, schemas, checks that clash."""
