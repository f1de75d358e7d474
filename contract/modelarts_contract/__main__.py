"""`python -m modelarts_contract`: the commands of `modelarts contract`, without the toolkit's own."""

from __future__ import annotations

from modelarts_contract.commands import contract

contract(prog_name="modelarts contract")
