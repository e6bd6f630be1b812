"""Squared L2 distances of four queries to thirty-two points, in vector registers.

Points lie in tiles of 16, features-major: tile (d, 16). One call takes two tiles and four queries, keeps the eight sums
in registers over all features and hands back, for each query, one bit a point: is it within that query's threshold?
Written as LLVM vectors because a loop in Python's clothes spills every sum to memory after each few features, which
costs more than the arithmetic. LLVM lowers the same code to AVX-512, AVX2, SSE or NEON.

The order of the additions is that of the features for every pair, so equal differences give equal distances, bit by
bit, and ties stay ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

LANES = 16
POINTS = 2 * LANES  # of one call
QUERIES = 4  # of one call

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_CONTRACT = ("contract",)  # multiply and add may be fused


@intrinsic
def within(
    typingctx: Any, tiles: Any, first: Any, queries: Any, a: Any, b: Any, c: Any, e: Any, thresholds: Any, out: Any,
    column: Any,
) -> Any:  # fmt: skip
    """within(tiles, first, queries, a, b, c, e, thresholds, out, column) -> four 32-bit masks.

    tiles (t, d, 16) float32: tiles `first` and `first + 1`; queries (g, d) float32: rows a, b, c, e;
    thresholds (g,) float32; out (4, w) float32 receives the squared distances from `column` on.
    """
    signature = types.UniTuple(types.uint32, QUERIES)(tiles, first, queries, a, b, c, e, thresholds, out, column)
    return signature, _generate


def _generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    def array(i: int) -> Any:
        return context.make_array(signature.args[i])(context, builder, args[i])

    tiles, queries, thresholds, out = (array(i) for i in (0, 2, 7, 8))
    size = ir.IntType(64)
    width = builder.extract_value(out.shape, 1)
    d = builder.extract_value(tiles.shape, 1)
    first, *rows, column = (context.cast(builder, args[i], signature.args[i], types.int64) for i in (1, 3, 4, 5, 6, 9))
    tile_floats = builder.mul(d, size(LANES))
    points = [builder.gep(tiles.data, [builder.mul(builder.add(first, size(t)), tile_floats)]) for t in range(2)]
    asked = [builder.gep(queries.data, [builder.mul(row, d)]) for row in rows]
    sums = [[cgutils.alloca_once_value(builder, _VECTOR(None)) for _ in range(2)] for _ in range(QUERIES)]
    with cgutils.for_range(builder, d) as loop:
        offset = builder.mul(loop.index, size(LANES))
        at = [builder.bitcast(builder.gep(start, [offset]), _VECTOR.as_pointer()) for start in points]
        x = [builder.load(address, align=4, typ=_VECTOR) for address in at]
        for query in range(QUERIES):
            value = _broadcast(builder, builder.load(builder.gep(asked[query], [loop.index])))
            for t in range(2):
                difference = builder.fsub(x[t], value, flags=_CONTRACT)
                square = builder.fmul(difference, difference, flags=_CONTRACT)
                builder.store(builder.fadd(builder.load(sums[query][t]), square, flags=_CONTRACT), sums[query][t])
    masks = []
    for query in range(QUERIES):
        limit = _broadcast(builder, builder.load(builder.gep(thresholds.data, [rows[query]])))
        mask = ir.IntType(32)(0)
        for t in range(2):
            total = builder.load(sums[query][t])
            place = builder.add(builder.mul(size(query), width), builder.add(column, size(t * LANES)))
            address = builder.bitcast(builder.gep(out.data, [place]), _VECTOR.as_pointer())
            builder.store(total, address, align=4)
            hit = builder.bitcast(builder.fcmp_ordered("<=", total, limit), ir.IntType(LANES))
            wide = builder.shl(builder.zext(hit, ir.IntType(32)), ir.IntType(32)(t * LANES))
            mask = builder.or_(mask, wide)
        masks.append(mask)
    return context.make_tuple(builder, signature.return_type, masks)


def _broadcast(builder: Any, scalar: Any) -> Any:
    one = builder.insert_element(_VECTOR(ir.Undefined), scalar, ir.IntType(32)(0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    return builder.shuffle_vector(one, _VECTOR(ir.Undefined), lanes)


@intrinsic
def lowest_bit(typingctx: Any, mask: Any) -> Any:
    """The position of the lowest set bit of a 32-bit mask that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.uint32(types.uint32), generate
