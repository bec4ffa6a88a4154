"""The predicates that variants are gated by: each answers yes (None) or a reason."""

from __future__ import annotations

from collections.abc import Callable

from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind, Reduction, Scope, Storage
from xdsl_packed.selection.registry import Predicate, Reason

PRIVATE_STORAGE = (Storage.LOCAL, Storage.REGISTER)
"""Where one thread holds a tile for itself."""


def exec_scope(*scopes: Scope) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.scope in scopes:
            return None
        return f"scope is {reduction.scope}, expected {' or '.join(scopes)}"

    return Predicate("exec_scope", decline)


def local_scope() -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        source, destination = reduction.source, reduction.destination
        for side, tile in (("source", source), ("destination", destination)):
            if tile.storage not in PRIVATE_STORAGE:
                return f"{side} is in {tile.storage} memory, expected local"
        if destination.element_type not in (
            source.element_type,
            reduction.accumulation_type,
        ):
            return (
                f"source is {source.element_type}, destination is "
                f"{destination.element_type}, expected one type"
            )
        return None

    return Predicate("local_scope", decline)


def dst_len(expected: int) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.destination_length == expected:
            return None
        return f"destination has {reduction.destination_length} elements, expected {expected}"

    return Predicate("dst_len", decline)


def src_ndim(expected: int) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if len(reduction.shape) == expected:
            return None
        return f"source has rank {len(reduction.shape)}, expected {expected}"

    return Predicate("src_ndim", decline)


def dtype(expected: str) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.element_type == expected:
            return None
        return f"element type is {reduction.element_type}, expected {expected}"

    return Predicate("dtype", decline)


def accumulation(*expected: str) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.accumulation_type in expected:
            return None
        return (
            f"values are combined in {reduction.accumulation_type}, "
            f"expected {' or '.join(expected)}"
        )

    return Predicate("accumulation", decline)


def sm_version(minimum: int) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        chip = reduction.target.chip
        if chip.number >= minimum:
            return None
        return f"chip is {chip.name}, expected sm_{minimum} or newer"

    return Predicate("sm_version", decline)


def reduction_len(minimum: int) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.length >= minimum:
            return None
        return f"reduces {reduction.length} elements, expected {minimum} or more"

    return Predicate("reduction_len", decline)


def kind(*kinds: Kind) -> Predicate:
    def decline(reduction: Reduction) -> Reason | None:
        if reduction.kind in kinds:
            return None
        return f"kind is {reduction.kind}, expected {', '.join(kinds)}"

    return Predicate("kind", decline)


def order(*orders: Order) -> Predicate:
    """Kinds that take no order pass: their result does not depend on one."""

    def decline(reduction: Reduction) -> Reason | None:
        if reduction.order is None or reduction.order in orders:
            return None
        return f"order is {reduction.order}, expected {' or '.join(orders)}"

    return Predicate("order", decline)


def native(forms: Callable[[Reduction], tuple[str, ...] | Reason]) -> Predicate:
    """
    The chip has one instruction for every form. Where it only emulates one the variant does
    not pay; asked for by name it is taken all the same.
    """

    def decline(reduction: Reduction) -> Reason | None:
        needed = forms(reduction)
        if isinstance(needed, str):
            return needed
        target = reduction.target
        for form in needed:
            if target.refusal(form) is None and not target.is_native(form):
                return f"{form} is legal but not native on {target.chip.name}"
        return None

    return Predicate("native", decline, waived_by_name=True)


def legal(forms: Callable[[Reduction], tuple[str, ...] | Reason]) -> Predicate:
    """The table accepts every PTX form that the variant would use on this target."""

    def decline(reduction: Reduction) -> Reason | None:
        needed = forms(reduction)
        if isinstance(needed, str):
            return needed
        refusals = (reduction.target.refusal(form) for form in needed)
        return next((reason for reason in refusals if reason is not None), None)

    return Predicate("legal", decline)
