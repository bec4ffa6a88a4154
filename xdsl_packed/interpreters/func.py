"""What the func and cf ops compute."""

from __future__ import annotations

from xdsl.dialects import cf, func
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    Successor,
    TerminatorValue,
    impl,
    impl_callable,
    impl_terminator,
    register_impls,
)
from xdsl.traits import SymbolTable

from xdsl_packed.interpreters.values import error, uniform


@register_impls
class FuncFunctions(InterpreterFunctions):
    @impl_callable(func.FuncOp)
    def call_func(
        self, interpreter: Interpreter, op: func.FuncOp, args: PythonValues
    ) -> PythonValues:
        if op.is_declaration:
            raise error(op, "has no body to run")
        return interpreter.run_ssacfg_region(op.body, args, op.sym_name.data)

    @impl(func.CallOp)
    def run_call(
        self, interpreter: Interpreter, op: func.CallOp, args: PythonValues
    ) -> PythonValues:
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, func.FuncOp):
            raise error(op, f"calls {op.callee}, which is no function of this module")
        return interpreter.call_op(callee, args)

    @impl_terminator(func.ReturnOp)
    def run_return(
        self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


@register_impls
class CfFunctions(InterpreterFunctions):
    @impl_terminator(cf.BranchOp)
    def run_branch(
        self, interpreter: Interpreter, op: cf.BranchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return Successor(op.successor, args), ()

    @impl_terminator(cf.ConditionalBranchOp)
    def run_conditional_branch(
        self, interpreter: Interpreter, op: cf.ConditionalBranchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        if uniform(op, "condition", args[0]):
            return Successor(
                op.then_block, interpreter.get_values(op.then_arguments)
            ), ()
        return Successor(op.else_block, interpreter.get_values(op.else_arguments)), ()
