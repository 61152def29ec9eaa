"""Nets as ONNX models: a function for each layer type, and a check of the whole by onnxruntime."""
