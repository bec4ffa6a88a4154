"""What the scf ops compute. Bounds and conditions are the same for the whole batch."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)

from xdsl_packed.interpreters.values import dtype_of, error, uniform


@register_impls
class ScfFunctions(InterpreterFunctions):
    @impl(scf.ForOp)
    def run_for(
        self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues
    ) -> PythonValues:
        lower, upper, step = (uniform(op, "bound or step", value) for value in args[:3])
        if step < 1:
            raise error(op, f"has step {step}: a step is positive")
        induction = dtype_of(op.lb.type)
        carried = args[3:]
        for i in range(lower, upper, step):
            carried = interpreter.run_ssacfg_region(
                op.body, (induction.type(i), *carried), "for"
            )
        return carried

    @impl(scf.IfOp)
    def run_if(
        self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues
    ) -> PythonValues:
        taken = uniform(op, "condition", args[0])
        region = op.true_region if taken else op.false_region
        return interpreter.run_ssacfg_region(region, (), "if")

    @impl(scf.WhileOp)
    def run_while(
        self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues
    ) -> PythonValues:
        while True:
            condition, *forwarded = interpreter.run_ssacfg_region(
                op.before_region, args, "while"
            )
            if not uniform(op, "condition", condition):
                return tuple(forwarded)
            args = interpreter.run_ssacfg_region(
                op.after_region, tuple(forwarded), "while"
            )

    @impl_terminator(scf.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: scf.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(scf.ConditionOp)
    def run_condition(
        self, interpreter: Interpreter, op: scf.ConditionOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
