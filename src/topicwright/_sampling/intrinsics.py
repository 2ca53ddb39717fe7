"""LLVM intrinsics for kernels: vectorized sums in a fixed order, and prefetching.

Numba vectorizes sums only if it may reorder them. Here the order is fixed, so that results are the same on every
machine. The length of a row is a multiple of :data:`LANES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LANES = 4
_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, LANES)
_WORD = ir.IntType(64)


def padded(n: int) -> int:
    """n rounded up to a multiple of the lanes."""
    return max(1, -(-n // LANES)) * LANES


@intrinsic
def move_gain(typing_context: Any, gradient: Any, curvature: Any, rows: Any, s: Any, t: Any) -> Any:
    """Σ_j δ_j (pull_j − bend_j δ_j / 2) with δ = rows[t] − rows[s]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        half = ir.Constant(_VECTOR, [0.5] * LANES)

        def add(pull_at: Any, bend_at: Any, step: Any) -> None:
            bent = builder.fmul(builder.fmul(half, builder.load(bend_at, align=8)), step)
            part = builder.fmul(step, builder.fsub(builder.load(pull_at, align=8), bent))
            builder.store(builder.fadd(builder.load(total), part), total)

        _for_each_step(context, builder, signature, arguments, add)
        sums = builder.load(total)
        lanes = [builder.extract_element(sums, ir.Constant(ir.IntType(32), lane)) for lane in range(LANES)]
        return builder.fadd(builder.fadd(lanes[0], lanes[1]), builder.fadd(lanes[2], lanes[3]))

    return types.float64(gradient, curvature, rows, s, t), generate


@intrinsic
def apply_move(typing_context: Any, gradient: Any, curvature: Any, rows: Any, s: Any, t: Any) -> Any:
    """pull_j −= bend_j δ_j with δ = rows[t] − rows[s]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def subtract(pull_at: Any, bend_at: Any, step: Any) -> None:
            change = builder.fmul(builder.load(bend_at, align=8), step)
            builder.store(builder.fsub(builder.load(pull_at, align=8), change), pull_at, align=8)

        _for_each_step(context, builder, signature, arguments, subtract)
        return context.get_dummy_value()

    return types.void(gradient, curvature, rows, s, t), generate


def _for_each_step(
    context: Any, builder: Any, signature: Any, arguments: Any, use: Callable[[Any, Any, Any], None]
) -> None:
    """Call ``use`` with pointers to gradient and curvature and the value of δ, some lanes at a time."""
    arrays = [make_array(kind)(context, builder, value) for kind, value in zip(signature.args[:3], arguments[:3])]
    gradient, curvature, rows = (array.data for array in arrays)
    width = builder.extract_value(arrays[0].shape, 0)
    from_s, from_t = (builder.mul(width, row) for row in arguments[3:])
    with cgutils.for_range(builder, builder.udiv(width, ir.Constant(_WORD, LANES))) as loop:
        first = builder.mul(loop.index, ir.Constant(_WORD, LANES))

        def at(data: Any, offset: Any) -> Any:
            return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())

        here, there = at(rows, builder.add(from_s, first)), at(rows, builder.add(from_t, first))
        step = builder.fsub(builder.load(there, align=8), builder.load(here, align=8))
        use(at(gradient, first), at(curvature, first), step)


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Start to load ``array[index]`` into the cache; an invalid index is harmless."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        byte_pointer = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte_pointer)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer], function_type)
        builder.call(function, [address, number(0), number(3), number(1)])  # read, keep close, data
        return context.get_dummy_value()

    return types.void(array, index), generate
