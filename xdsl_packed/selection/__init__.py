"""Choosing the variant of a reduction: registry, predicates, choice, report."""
