"""The episode server: agents of any kind open episodes by HTTP, play them, and have them graded."""
