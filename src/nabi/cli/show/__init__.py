"""Print results: tables, figures, explanations, progress."""
