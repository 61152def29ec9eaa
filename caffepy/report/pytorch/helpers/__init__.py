"""What torch has no form of: functions and small classes that are copied into written files.

They import torch alone.
"""
