"""LLVM intrinsics for kernels: vectorized sums in a fixed order, and prefetching.

Numba vectorizes sums only if it may reorder them. Here the order is fixed, so that results are the same on every
machine. Numbers are in single precision, and the length of a row is a multiple of :data:`LANES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LANES = 16
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_WORD = ir.IntType(64)


def padded(n: int) -> int:
    """n rounded up to a multiple of the lanes."""
    return max(1, -(-n // LANES)) * LANES


@intrinsic
def move_gain(typing_context: Any, gradient: Any, curvature: Any, rows: Any, s: Any, t: Any) -> Any:
    """Σ_j δ_j (pull_j − bend_j δ_j / 2) with δ = rows[t] − rows[s]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        half = ir.Constant(_VECTOR, [0.5] * LANES)

        def gain(pull: Any, bend: Any, here: Any, step: Any) -> Any:
            bent = builder.fmul(builder.fmul(half, bend), step)
            return builder.fmul(step, builder.fsub(pull, bent))

        return _sum_over_steps(context, builder, signature, arguments, gain)

    return types.float64(gradient, curvature, rows, s, t), generate


@intrinsic
def gain_over_proposal(
    typing_context: Any, gradient: Any, center: Any, curvature: Any, rows: Any, s: Any, t: Any
) -> Any:
    """Σ_j δ_j (pull_j + bend_j rows[s]_j − center_j) with δ = rows[t] − rows[s].

    What :func:`move_gain` gains over Σ_j center_j rows_j − bend_j rows_j² / 2 of t less that of s.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def gain(pull: Any, center: Any, bend: Any, here: Any, step: Any) -> Any:
            alone = builder.fadd(pull, builder.fmul(bend, here))
            return builder.fmul(step, builder.fsub(alone, center))

        return _sum_over_steps(context, builder, signature, arguments, gain)

    return types.float64(gradient, center, curvature, rows, s, t), generate


@intrinsic
def apply_move(typing_context: Any, gradient: Any, curvature: Any, rows: Any, s: Any, t: Any) -> Any:
    """pull_j −= bend_j δ_j with δ = rows[t] − rows[s]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def subtract(pull_at: Any, bend_at: Any, here: Any, step: Any) -> None:
            change = builder.fmul(builder.load(bend_at, align=4), step)
            builder.store(builder.fsub(builder.load(pull_at, align=4), change), pull_at, align=4)

        _for_each_step(context, builder, signature, arguments, subtract)
        return context.get_dummy_value()

    return types.void(gradient, curvature, rows, s, t), generate


def _sum_over_steps(context: Any, builder: Any, signature: Any, arguments: Any, term: Callable[..., Any]) -> Any:
    """Sum of the values of ``term``: lane by lane, then the lanes by pairs."""
    total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))

    def add(*given: Any) -> None:
        *pointers, here, step = given
        value = term(*(builder.load(pointer, align=4) for pointer in pointers), here, step)
        builder.store(builder.fadd(builder.load(total), value), total)

    _for_each_step(context, builder, signature, arguments, add)
    sums = builder.load(total)
    lanes = [builder.extract_element(sums, ir.Constant(ir.IntType(32), lane)) for lane in range(LANES)]
    while len(lanes) > 1:
        lanes = [builder.fadd(one, other) for one, other in zip(lanes[::2], lanes[1::2])]
    return builder.fpext(lanes[0], ir.DoubleType())


def _for_each_step(context: Any, builder: Any, signature: Any, arguments: Any, use: Callable[..., None]) -> None:
    """Call ``use`` with pointers into the vectors and the values of rows[s] and δ, some lanes at a time."""
    arrays = [make_array(kind)(context, builder, value) for kind, value in zip(signature.args[:-2], arguments[:-2])]
    *vectors, rows = (array.data for array in arrays)
    width = builder.extract_value(arrays[0].shape, 0)
    from_s, from_t = (builder.mul(width, row) for row in arguments[-2:])
    with cgutils.for_range(builder, builder.udiv(width, ir.Constant(_WORD, LANES))) as loop:
        first = builder.mul(loop.index, ir.Constant(_WORD, LANES))

        def at(data: Any, offset: Any) -> Any:
            return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())

        here = builder.load(at(rows, builder.add(from_s, first)), align=4)
        there = builder.load(at(rows, builder.add(from_t, first)), align=4)
        use(*(at(data, first) for data in vectors), here, builder.fsub(there, here))


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
