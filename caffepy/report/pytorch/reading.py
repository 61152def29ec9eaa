"""How a file's weights are read, by torch alone."""

from __future__ import annotations

PLACE = "WEIGHTS = Path(__file__).with_name({weights})"

READ = '''
def read_safetensors(path):
    """The tensors of a safetensors file: the length of its head, the head as JSON, the numbers."""
    data = bytearray(Path(path).read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    types = {"F32": torch.float32, "I64": torch.int64}
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            first, last = (start + place for place in entry["data_offsets"])
            numbers = torch.frombuffer(data[first:last], dtype=types[entry["dtype"]])
            tensors[name] = numbers.view(entry["shape"])
    return tensors
'''

LOAD = '''
def load(path=WEIGHTS):
    """The net with its weights, ready to predict."""
    net = {name}()
    net.load_state_dict(read_safetensors(path))
    return net.eval()
'''
