"""Ask judges over a model: prompts, answers, the client, and the answers of earlier runs."""
