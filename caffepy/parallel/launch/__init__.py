"""Who started this process, and where the job's machines are."""
