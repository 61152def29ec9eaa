"""Names that scripts use."""

from __future__ import annotations

import importlib
import sys
import types

import caffe
import pytest

from tests.pycaffe.nets import DEPLOY, ToFile

NAMES = """
NCCL TEST TRAIN AdaDeltaSolver AdaGradSolver AdamSolver Classifier Detector Layer NesterovSolver Net NetSpec RMSPropSolver SGDSolver Timer
__version__ get_solver has_nccl init_log io layer_type_list layers log params proto set_device set_mode_cpu set_mode_gpu
set_multiprocess set_random_seed set_solver_count set_solver_rank solver_count solver_rank to_proto classifier detector net_spec pycaffe
"""
MEMBERS = {
    caffe.Net: """backward blob_loss_weights bottom_names clear_param_diffs copy_from forward forward_all forward_backward_all
        layer_dict load_hdf5 reshape save save_hdf5 set_input_arrays share_with top_names before_forward after_forward before_backward
        after_backward backward_from_layer backward_simple deconv deconv_from_layer forward_simple""",
    caffe.SGDSolver: "add_callback apply_update increment_iter iter param restore share_weights snapshot solve step",
    caffe.NetSpec: "keys to_proto update vals",
    caffe.Classifier: "predict forward",
    caffe.Detector: "crop configure_crop detect_selective_search detect_windows",
    caffe.NCCL: "bcast new_uid",
    caffe.Timer: "ms start stop",
    caffe.Layer: "backward forward reshape setup",
    caffe.io.Transformer: """deprocess preprocess set_channel_swap set_input_scale set_is_flow set_mean set_raw_scale set_transpose""",
}
MODULES = {
    "io": """Transformer array_to_blobproto array_to_datum arraylist_to_blobprotovecor_str arraylist_to_blobprotovector_str
        blobproto_to_array blobprotovector_str_to_arraylist caffe_pb2 datum_to_array flip_image load_image oversample resize_image""",
    "net_spec": "Function NetSpec Top _param_names assign_proto layers param_name_dict params to_proto",
    "coord_map": "AxisMismatchException UndefinedMapException compose conv_params coord_map coord_map_from_to crop crop_params inverse",
    "draw": """choose_color_by_layertype draw_net draw_net_to_file get_edge_label get_layer_label get_layer_lr_mult get_pooling_types_dict
        get_pydot_graph""",
    "classifier": "Classifier",
    "detector": "Detector",
    "model_libs": "ConvBNLayer CreateAnnotatedDataLayer CreateMultiBoxHead L P ResNet101Body UnpackVariable VGGNetBody check_if_exist",
    "pycaffe": "Net SGDSolver get_solver",
    "_caffe": "BlobVec Layer LayerVec Net NetVec RawBlobVec SGDSolver layer_type_list log set_mode_cpu",
    "proto.caffe_pb2": "BlobProto BlobProtoVector Datum LayerParameter NetParameter SolverParameter SolverState TEST TRAIN",
}


def test_the_module() -> None:
    assert [name for name in NAMES.split() if not hasattr(caffe, name)] == []
    assert caffe.__version__ == "1.0.0"


@pytest.mark.parametrize("cls", MEMBERS, ids=lambda cls: cls.__name__)
def test_classes(cls: type) -> None:
    assert [name for name in MEMBERS[cls].split() if not hasattr(cls, name)] == []


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str) -> None:
    module = importlib.import_module(f"caffe.{name}")
    assert [member for member in MODULES[name].split() if not hasattr(module, member)] == []


def test_the_compiled_module_is_there_without_being_imported(to_file: ToFile) -> None:
    """Scripts that fold BatchNorm into the weights ask for the kind of list."""
    assert caffe._caffe.Net is caffe.Net
    params = caffe.Net(to_file(DEPLOY), caffe.TEST).params
    assert all(type(params[name]) is caffe._caffe.BlobVec for name in params)


def test_what_io_imports_in_caffe(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"skimage": [], "skimage.io": [], "skimage.transform": ["resize"], "scipy": [], "scipy.ndimage": ["zoom"]}
    for name, members in names.items():
        module = types.ModuleType(name)
        for member in members:
            setattr(module, member, f"{name}.{member}")
        monkeypatch.setitem(sys.modules, name, module)
    assert caffe.io.skimage is sys.modules["skimage"]
    assert (caffe.io.resize, caffe.io.zoom) == ("skimage.transform.resize", "scipy.ndimage.zoom")
    monkeypatch.setitem(sys.modules, "scipy.ndimage", None)
    with pytest.raises(AttributeError, match=r"caffe.io.zoom is that of scipy.ndimage, which cannot be imported"):
        _ = caffe.io.zoom


def test_modules_are_the_same_under_both_names() -> None:
    """What a script changes in ``caffe.io`` changes for Classifier too."""
    for name in ("io", "net_spec", "draw", "model_libs"):
        assert importlib.import_module(f"caffe.{name}") is importlib.import_module(f"caffepy.pycaffe.{name}")
