"""Run the checks of rubrics on outputs, and combine their scores."""
