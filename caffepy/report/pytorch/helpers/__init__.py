"""What torch has no form of: functions and small classes that stand in the files that are written. They import torch alone."""
