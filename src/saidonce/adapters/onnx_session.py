"""How the small networks of the package are run: on one thread, so that the same input gives the same bits."""

from __future__ import annotations

from typing import Any


def open_session(weights: bytes) -> Any:
    """Open a network in ONNX on the processor; callers that want more threads run several inputs at once.

    More threads inside a run would split sums by their own number, and the arena would keep the largest size of every
    shape ever run. ONNX Runtime's errors share no base class, and pass as they are.
    """
    import onnxruntime  # noqa: PLC0415 - heavy, and not needed to show help

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
