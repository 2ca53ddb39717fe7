"""One machine instruction that Numba has no name for: ask for a piece of memory before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Start to load ``array[index]`` into the cache; a wrong index does no harm."""

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
