"""What becomes of the arguments that the service adds to the command of a custom image.

Page "Developing Code for Training Using a Custom Image": the last command has to run the training script.
"""

import re
from itertools import dropwhile, takewhile

_TOKEN = re.compile(
    r"""\s+ | (?P<end>\#.* | \|\| | && | [;|()] | &(?![>\d-]))
    | (?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|[^\s;&|()'"`\\]|&(?=[>\d-]))+)""",
    re.VERBOSE,
)
_BEFORE_PROGRAMS = re.compile(
    r"\w+=.*|-.*|\d[\d.]*[smhd]?|!|\{|then|do|else|(.*/)?(exec|nohup|time|env|nice|sudo|command|stdbuf|timeout)"
)
_NO_SCRIPTS = re.compile(
    r"""[:.\[] | apt(-get)? | awk | cat | cd | ch(mod|own) | cp | curl | cut | date | df | dos2unix | du | echo | exit
    | export | false | find | free | git | grep | head | hostname | htop | id | kill | ldd | ln | ls | lscpu | make
    | mkdir | mv | nproc | (npu|nvidia)-smi | pip3? | printenv | printf | ps | pwd | read | return | rm | sed | set
    | sleep | sort | source | sync | tail | tar | tee | test | top | touch | tr | true | ulimit | uname | uniq | unset
    | unzip | wait | wc | wget | which | whoami | yum | zip | [}] | fi | done | esac""",
    re.VERBOSE,
)
_INTERPRETERS = re.compile(r"python[\d.]*|(?P<shell>(ba|da|z)?sh)")
_OPTIONS = re.compile(r"-[abd-ln-z]+|--[a-z]+|pipefail|errexit|nounset|xtrace")  # of an interpreter, before its script


def why_no_arguments(command: str) -> str | None:
    """Why no training script gets arguments that are added to a command line; None if nothing speaks against it."""
    text = command.strip()
    tokens = [found for found in _TOKEN.finditer(text) if found.lastgroup]
    if "\n" in text:
        return "this one has several lines: join them with &&"
    if not tokens or _TOKEN.sub("", text):
        return "in this one is a quote without its end"
    if tokens[-1].lastgroup == "end":
        return f"this one ends with {tokens[-1][0]!r}"
    words = [each[0] for each in takewhile(lambda each: each.lastgroup == "word", reversed(tokens))][::-1]
    program, *operands = [*dropwhile(_BEFORE_PROGRAMS.fullmatch, words)] or words[-1:]
    name = program.rpartition("/")[2]
    operands = [*dropwhile(_OPTIONS.fullmatch, operands)]
    interpreter = _INTERPRETERS.fullmatch(name)
    if _NO_SCRIPTS.fullmatch(name) or _BEFORE_PROGRAMS.fullmatch(name) or (interpreter and not operands):
        return f"here that is {name}"
    has_text = interpreter and interpreter["shell"] and re.fullmatch("-[a-z]*c", operands[0])
    if has_text and (len(operands) < 3 or not re.search(r"\$[@*\d]", operands[1])):
        return f'the text of {name} {operands[0]} gets none without "$@" in it and one more word behind it'
    return None
