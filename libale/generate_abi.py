"""Writes pyale_ma/_native/abi.py: what include/ale/ale.h declares, in the words of ctypes.

python libale/generate_abi.py

Needs pycparser.  Run it after every change of the header; tests/native/test_native.py compares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pycparser import CParser, c_ast

LIBALE = Path(__file__).parent
HEADER = LIBALE / "include" / "ale" / "ale.h"
OUTPUT = LIBALE.parent / "pyale_ma" / "_native" / "abi.py"
LINE_LENGTH = 100

HEAD = '''\
"""The constants, enumerations, structs and functions of libale, as ctypes needs them.

Written by libale/generate_abi.py from libale/include/ale/ale.h, which says what everything means:
change the header, then run the generator.  The rest of the package imports all this from `_native`.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
'''

IMPORTS = """\
)
from enum import IntEnum
from typing import Any, ClassVar

"""

STRUCT = '''

class Struct(ctypes.Structure):
    """A struct that begins with its own size."""

    struct_size: int

    def __init__(self) -> None:
        super().__init__(ctypes.sizeof(self))
'''

FUNCTIONS = """
_Object = c_void_p  # ale_rom *, ale_env *, ale_state *, ...
_Buffer = c_void_p  # pointer to plain numbers: an address, or a ctypes array

# Name: (result, arguments).
DECLARATIONS: dict[str, tuple[Any, list[Any]]] = {
"""


def main() -> None:
    """Write the file."""
    OUTPUT.write_text(module(Header()), encoding="utf-8")


class Header:
    """Declarations of ale.h.

    Attributes:
        macros: Their values as text, by name.
        constants: All enumerators, by name, with those of enumerations without a name.
        enums: The enumerators of each enumeration with a name.
        structs: The fields of each struct; None where it is opaque.
        functions: Their declarations.
        summaries: The first sentence of the comment above an enumeration or a struct.
    """

    def __init__(self) -> None:
        commented = HEADER.read_text(encoding="utf-8")
        self.summaries = summaries(commented)
        text = re.sub(r"/\*.*?\*/", " ", commented, flags=re.DOTALL)
        self.macros = dict(re.findall(r"^#define (\w+) (\S+)$", text, re.MULTILINE))
        text = re.sub(r"^#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE).replace("ALE_API", "")
        integers = sorted(set(re.findall(r"\w+_t\b", text)))
        known = "".join(f"typedef int {name};" for name in integers)
        self.constants: dict[str, int] = {}
        self.enums: dict[str, dict[str, int]] = {}
        self.structs: dict[str, list[Any] | None] = {}
        self.functions: dict[str, Any] = {}
        for node in CParser().parse(known + text).ext:
            inner = getattr(node.type, "type", None)
            if isinstance(node.type, c_ast.FuncDecl):
                self.functions[node.name] = node.type
            elif isinstance(node.type, c_ast.Enum):
                self._read_enum(node.type)
            elif isinstance(inner, c_ast.Enum):
                self.enums[node.name] = self._read_enum(inner)
            elif isinstance(inner, c_ast.Struct):
                self.structs[node.name] = inner.decls

    def _read_enum(self, node: Any) -> dict[str, int]:
        values = {item.name: self.number(item.value) for item in node.values.enumerators}
        self.constants.update(values)
        return values

    def number(self, node: Any) -> int:
        """The value of an expression: a number or an enumerator, perhaps negative."""
        if isinstance(node, c_ast.UnaryOp):
            assert node.op == "-"
            return -self.number(node.expr)
        if isinstance(node, c_ast.ID):
            return self.constants[node.name]
        return int(node.value.rstrip("uU"), 0)


def summaries(text: str) -> dict[str, str]:
    """By the name of an enumeration or a struct, the first sentence of the comment right above."""
    found = {}
    pattern = r"^/\* (?P<comment>(?:(?!\*/).)*) \*/\ntypedef (?:enum|struct) (?P<name>\w+)"
    for match in re.finditer(pattern, text, flags=re.DOTALL | re.MULTILINE):
        comment = " ".join(match["comment"].replace("\n *", " ").split())
        found[match["name"]] = re.split(r"[.:](?: |$)", comment)[0]
    return found


# ---- Names and types -----------------------------------------------------------------------------


def class_name(name: str) -> str:
    """``ale_game_info`` is GameInfo."""
    return name.removeprefix("ale_").title().replace("_", "")


def value_name(name: str) -> str:
    """``ALE_MAX_PLAYERS`` is MAX_PLAYERS."""
    return name.removeprefix("ALE_")


def number_type(name: str) -> str:
    """``int32_t`` is c_int32, ``size_t`` c_size_t."""
    return "c_size_t" if name == "size_t" else f"c_{name.removesuffix('_t')}"


def field_type(header: Header, node: Any) -> str:
    """Return the ctypes name of the type of a field, a parameter or a result."""
    if isinstance(node, c_ast.ArrayDecl):
        length = value_name(node.dim.name) if isinstance(node.dim, c_ast.ID) else node.dim.value
        return f"{field_type(header, node.type)} * {length}"
    if isinstance(node, c_ast.PtrDecl):
        return "c_char_p" if type_name(node.type) == "char" else "c_void_p"
    name = type_name(node)
    if name == "void":
        return "None"
    return "c_int" if name in header.enums else number_type(name)


def argument_type(header: Header, node: Any) -> str:
    """The same of parameters and results, where pointers are told apart."""
    if not isinstance(node, c_ast.PtrDecl):
        return field_type(header, node)
    name = type_name(node.type)
    if not name:  # a pointer to a pointer
        return f"POINTER({argument_type(header, node.type)})"
    if name in header.structs:
        return f"POINTER({class_name(name)})" if header.structs[name] else "_Object"
    if name == "char":
        return "c_char_p"
    if name in ("size_t", "uint32_t") and "const" not in node.type.quals:
        return f"POINTER({field_type(header, node.type)})"  # one number, which the function writes
    return "_Buffer"


def python_type(struct: str, node: Any) -> str:
    """Return the Python type of a field; an address may also be written as a pointer."""
    if isinstance(node, c_ast.ArrayDecl):
        if isinstance(node.type, c_ast.PtrDecl):
            return "ctypes.Array[c_void_p]"
        kind = type_name(node.type)
        return "bytes" if kind == "char" else f"ctypes.Array[{number_type(kind)}]"
    if not isinstance(node, c_ast.PtrDecl):
        return "float" if type_name(node) in ("float", "double") else "int"
    if type_name(node.type) != "char":
        return "c_void_p | int | None"
    return "bytes | None" if struct.endswith("_options") else "bytes"


def type_name(node: Any) -> str:
    """The name of a type; "" of one that is made of others."""
    return node.type.names[0] if isinstance(node, c_ast.TypeDecl) else ""


# ---- Text ----------------------------------------------------------------------------------------


def module(header: Header) -> str:
    """The whole file."""
    members = {name for values in header.enums.values() for name in values if not is_count(name)}
    constants = {n: v for n, v in header.constants.items() if n not in members}
    parts = [f"{name} = {header.macros[f'ALE_{name}']}\n" for name in ("ABI_VERSION", "VERSION")]
    parts += [f"{value_name(name)} = {value}\n" for name, value in constants.items()]
    parts += [enum_class(header, name) for name in header.enums]
    parts += [rule("Structs"), STRUCT]
    parts += [struct_class(header, name) for name, fields in header.structs.items() if fields]
    parts += [rule("Functions"), FUNCTIONS]
    parts += [declaration(header, name) for name in header.functions]
    text = "".join(parts) + "}\n"
    used = sorted(set(re.findall(r"\bc_\w+", text)), key=natural_order)
    return HEAD + "".join(f"    {name},\n" for name in used) + IMPORTS + text


def natural_order(name: str) -> list[str | int]:
    """The key by which ``c_uint8`` comes before ``c_uint32``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def is_count(name: str) -> bool:
    """Whether an enumerator is none of its enumeration, but how many there are."""
    return name.endswith("_COUNT")


def rule(title: str) -> str:
    """The comment that begins a part of the file."""
    return "\n\n" + f"# ---- {title} ".ljust(LINE_LENGTH, "-") + "\n"


def class_head(header: Header, name: str, base: str) -> str:
    """The first lines of a class."""
    summary = header.summaries.get(name, "")
    said = f": {summary[0].lower()}{summary[1:]}" if summary else ""
    return f'\n\nclass {class_name(name)}({base}):\n    """``{name}``{said}."""\n\n'


def enum_class(header: Header, name: str) -> str:
    """An enumeration."""
    values = {n: v for n, v in header.enums[name].items() if not is_count(n)}
    lines = [f"    {value_name(n)} = {v}\n" for n, v in values.items()]
    return class_head(header, name, "IntEnum") + "".join(lines)


def struct_class(header: Header, name: str) -> str:
    """A struct."""
    fields = [(field.name, field.type) for field in header.structs[name] or ()]
    sized = fields[0][0] == "struct_size"
    lines = ["    _fields_: ClassVar = [\n"]
    lines += [f'        ("{field}", {field_type(header, node)}),\n' for field, node in fields]
    lines += ["    ]\n"]
    lines += [f"    {f}: {python_type(name, node)}\n" for f, node in fields[1 if sized else 0 :]]
    return class_head(header, name, "Struct" if sized else "ctypes.Structure") + "".join(lines)


def declaration(header: Header, name: str) -> str:
    """A function: a line, or four where it is long."""
    function = header.functions[name]
    arguments = [argument_type(header, node.type) for node in function.args.params]
    if arguments == ["None"]:  # (void)
        arguments = []
    result, listed = argument_type(header, function.type), f"[{', '.join(arguments)}]"
    line = f'    "{name}": ({result}, {listed}),\n'
    if len(line) <= LINE_LENGTH + 1:
        return line
    if len(listed) + 9 > LINE_LENGTH:
        lines = "".join(f"            {argument},\n" for argument in arguments)
        listed = f"[\n{lines}        ]"
    return f'    "{name}": (\n        {result},\n        {listed},\n    ),\n'


if __name__ == "__main__":
    main()
