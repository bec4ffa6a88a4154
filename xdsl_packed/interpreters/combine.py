"""What the kinds of a reduction compute for two values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.arith import integers, signed, unsigned
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.interpreters.values import float_name
from xdsl_packed.reduction import Kind

Combine = Callable[[Value, Value], Value]

_INTEGER: dict[Kind, tuple[Callable[..., Any], Callable[[Value], Value]]] = {
    Kind.ADD: (np.add, unsigned),
    Kind.MUL: (np.multiply, unsigned),
    Kind.MAXSI: (np.maximum, signed),
    Kind.MINSI: (np.minimum, signed),
    Kind.MAXUI: (np.maximum, unsigned),
    Kind.MINUI: (np.minimum, unsigned),
    Kind.AND: (np.bitwise_and, unsigned),
    Kind.OR: (np.bitwise_or, unsigned),
    Kind.XOR: (np.bitwise_xor, unsigned),
}

_FLOAT: dict[Kind, Callable[..., Value]] = {
    Kind.ADD: numerics.add,
    Kind.MUL: numerics.mul,
    Kind.MAXNUMF: numerics.maximum,
    Kind.MINNUMF: numerics.minimum,
    Kind.MAXIMUMF: partial(numerics.maximum, nan=True),
    Kind.MINIMUMF: partial(numerics.minimum, nan=True),
}


def combination(kind: Kind, type: Attribute, *, ftz: bool) -> Combine:
    """How `kind` combines two values of the scalar `type`."""
    if str(type) in numerics.DTYPES:
        return partial(_FLOAT[kind], float_name(type), ftz=ftz)
    operation, view = _INTEGER[kind]
    return lambda a, b: integers(type, operation, view, (a, b))
