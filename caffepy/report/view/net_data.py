"""A compiled net as plain data for the page.

Its layers with fields, shapes, parameters and costs, and their boxes with places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffepy.layers.core.base import Shape, count
from caffepy.net.graph import Graph, Node
from caffepy.proto import caffe_pb2
from caffepy.proto.printer import to_text
from caffepy.report.draw.picture import bends, extent, labels
from caffepy.report.draw.scene import COLORS, PHASES
from caffepy.report.offline import dims_text
from caffepy.report.summary import row, summarize, totals
from caffepy.report.view.net_scene import Boxes, boxes_of, origins

Data = dict[str, Any]
"""What ``json`` writes."""


def net_data(graph: Graph, notes: Sequence[str] = ()) -> Data:
    """All that the page shows of a net.  ``notes``: what was assumed about it."""
    nodes = [node for node in graph.nodes if not node.is_automatic_split]
    places = {node.index: i for i, node in enumerate(nodes)}
    boxes = boxes_of(graph)
    origin = origins(graph)
    return {
        "name": graph.name or "net",
        "phase": PHASES[graph.phase],
        "totals": totals(summarize(graph)),
        "notes": list(notes),
        "layers": [layer_data(graph, node, origin) for node in nodes],
        **picture_data(boxes, places),
    }


def layer_data(graph: Graph, node: Node, origin: Sequence[int]) -> Data:
    """One layer."""
    costs = row(graph, node)
    bottoms = [graph.values[origin[value]] for value in node.bottoms]
    tops = [graph.values[value] for value in node.tops]
    return {
        "name": node.name,
        "type": node.type,
        "where": node.where,
        "bottoms": [[value.name, shape_text(value.shape)] for value in bottoms],
        "tops": [[value.name, shape_text(value.shape)] for value in tops],
        "params": [param_data(graph, index) for index in node.params],
        "parameters": costs.parameters,
        "flops": costs.flops,
        "bytes": costs.bytes,
        "inPlace": node.in_place,
        "fields": fields_text(node, [value.name for value in bottoms]),
    }


def param_data(graph: Graph, index: int) -> Data:
    """One parameter blob of a layer; a shared one names the layer whose memory it uses."""
    param = graph.params[index]
    owner = graph.params[param.owner]
    shared = f"{owner.layer}.{owner.slot}" if param.owner != index else ""
    return {
        "index": index,
        "name": param.name,
        "shape": dims_text(param.shape),
        "count": count(param.shape),
        "rates": f"lr_mult {param.lr_mult:g}, decay_mult {param.decay_mult:g}",
        "shared": shared,
    }


def shape_text(shape: Shape) -> str:
    """A shape, or that it is not known before a pass."""
    return dims_text(shape) if all(side >= 0 for side in shape) else "as the values say"


def fields_text(node: Node, bottoms: Sequence[str]) -> str:
    """The layer as prototxt, with the bottoms that its author wrote."""
    message = caffe_pb2.LayerParameter()
    message.CopyFrom(node.layer.param)
    del message.bottom[:]
    message.bottom.extend(bottoms)
    message.ClearField("blobs")
    return to_text(message)


def picture_data(boxes: Boxes, places: dict[int, int]) -> Data:
    """The boxes and arrows with their places in pixels.

    ``places``: index in the page's list of layers, by node index.
    """
    shown = boxes.picture
    found = []
    for box, (x, y), layers in zip(shown.scene.boxes, shown.layout.centers, boxes.layers):
        width, height = extent(box)
        found.append(
            {
                "x": round(x, 1),
                "y": round(y, 1),
                "w": round(width, 1),
                "h": height,
                "color": COLORS[box.kind],
                "texts": [box.name, *box.lines],
                "layers": [places[index] for index in layers],
                "repeats": box.repeats,
            }
        )
    arrows = []
    for arrow, path in zip(shown.scene.arrows, shown.layout.paths):
        curve = [path[0], *(point for piece in bends(shown, path) for point in piece)]
        arrows.append(
            {
                "from": arrow.source,
                "to": arrow.target,
                "curve": [round(side, 1) for point in curve for side in point],
            }
        )
    return {
        "width": round(shown.layout.width, 1),
        "height": round(shown.layout.height, 1),
        "boxes": found,
        "arrows": arrows,
        "labels": [[text, round(x, 1), round(y, 1)] for text, (x, y) in labels(shown)],
    }
