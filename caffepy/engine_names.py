"""What ``-engine`` and ``caffe.Net(engine=...)`` can say: what computes nets of the TEST phase."""

TORCH, ONNXRUNTIME, OPENVINO, AUTO = "torch", "onnxruntime", "openvino", "auto"
RUNTIMES = (ONNXRUNTIME, OPENVINO)
"""Those that run an ONNX model; each is the name of its Python package."""
ENGINES = (TORCH, *RUNTIMES, AUTO)
