"""The one loop, its batches, schedules and checkpoints; it knows no model and no task by name."""
