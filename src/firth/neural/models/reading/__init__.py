"""Reading comprehension: answers to questions, as spans of a paragraph."""
