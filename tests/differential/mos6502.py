"""The 6502's instruction set as a table, for generating and listing programs."""

from __future__ import annotations

from typing import NamedTuple

# Mnemonic and addressing mode of every opcode, eight a line.  Modes: - implied, # immediate,
# z zero page, zx zy indexed, a absolute, ax ay indexed, ix (zp,X), iy (zp),Y, r relative,
# i (absolute).  JAM stops the CPU.
_TEXT = """
BRK # ORA ix JAM - SLO ix NOP z ORA z ASL z SLO z
PHP - ORA # ASL - ANC # NOP a ORA a ASL a SLO a
BPL r ORA iy JAM - SLO iy NOP zx ORA zx ASL zx SLO zx
CLC - ORA ay NOP - SLO ay NOP ax ORA ax ASL ax SLO ax
JSR a AND ix JAM - RLA ix BIT z AND z ROL z RLA z
PLP - AND # ROL - ANC # BIT a AND a ROL a RLA a
BMI r AND iy JAM - RLA iy NOP zx AND zx ROL zx RLA zx
SEC - AND ay NOP - RLA ay NOP ax AND ax ROL ax RLA ax
RTI - EOR ix JAM - SRE ix NOP z EOR z LSR z SRE z
PHA - EOR # LSR - ASR # JMP a EOR a LSR a SRE a
BVC r EOR iy JAM - SRE iy NOP zx EOR zx LSR zx SRE zx
CLI - EOR ay NOP - SRE ay NOP ax EOR ax LSR ax SRE ax
RTS - ADC ix JAM - RRA ix NOP z ADC z ROR z RRA z
PLA - ADC # ROR - ARR # JMP i ADC a ROR a RRA a
BVS r ADC iy JAM - RRA iy NOP zx ADC zx ROR zx RRA zx
SEI - ADC ay NOP - RRA ay NOP ax ADC ax ROR ax RRA ax
NOP # STA ix NOP # SAX ix STY z STA z STX z SAX z
DEY - NOP # TXA - ANE # STY a STA a STX a SAX a
BCC r STA iy JAM - SHA iy STY zx STA zx STX zy SAX zy
TYA - STA ay TXS - SHS ay SHY ax STA ax SHX ay SHA ay
LDY # LDA ix LDX # LAX ix LDY z LDA z LDX z LAX z
TAY - LDA # TAX - LXA # LDY a LDA a LDX a LAX a
BCS r LDA iy JAM - LAX iy LDY zx LDA zx LDX zy LAX zy
CLV - LDA ay TSX - LAS ay LDY ax LDA ax LDX ay LAX ay
CPY # CMP ix NOP # DCP ix CPY z CMP z DEC z DCP z
INY - CMP # DEX - SBX # CPY a CMP a DEC a DCP a
BNE r CMP iy JAM - DCP iy NOP zx CMP zx DEC zx DCP zx
CLD - CMP ay NOP - DCP ay NOP ax CMP ax DEC ax DCP ax
CPX # SBC ix NOP # ISB ix CPX z SBC z INC z ISB z
INX - SBC # NOP - SBC # CPX a SBC a INC a ISB a
BEQ r SBC iy JAM - ISB iy NOP zx SBC zx INC zx ISB zx
SED - SBC ay NOP - ISB ay NOP ax SBC ax INC ax ISB ax
"""
_TABLE = _TEXT.split()

_LENGTHS = dict.fromkeys(("#", "z", "zx", "zy", "ix", "iy", "r"), 2) | {"-": 1}
_LENGTHS |= dict.fromkeys(("a", "ax", "ay", "i"), 3)
_FORMATS = {
    "-": "", "#": " #${:02X}", "z": " ${:02X}", "zx": " ${:02X},X", "zy": " ${:02X},Y",
    "ix": " (${:02X},X)", "iy": " (${:02X}),Y", "r": " ${:04X}",
    "a": " ${:04X}", "ax": " ${:04X},X", "ay": " ${:04X},Y", "i": " (${:04X})",
}  # fmt: skip


class Opcode(NamedTuple):
    code: int
    name: str
    mode: str

    @property
    def length(self) -> int:
        return _LENGTHS[self.mode]


OPCODES = tuple(Opcode(n, *_TABLE[2 * n : 2 * n + 2]) for n in range(256))
JUMPS = frozenset(
    ["BRK", "JSR", "RTI", "RTS", "JMP", "BPL", "BMI", "BVC", "BVS", "BCC", "BCS", "BNE", "BEQ"]
)
MOVES_STACK = frozenset(["TXS", "SHS", "LAS"])
USES_STACK = frozenset(["PHA", "PLA", "PHP", "PLP"])

# The opcode of a name and mode; where there are several the documented one, else the first.
BY_NAME = {(opcode.name, opcode.mode): opcode.code for opcode in reversed(OPCODES)}
BY_NAME["NOP", "-"] = 0xEA


def listing(code: bytes, address: int) -> str:
    """Disassemble `code` as it lies at `address`, a line an instruction."""
    lines = []
    at = 0
    while at < len(code):
        opcode = OPCODES[code[at]]
        raw = code[at : at + opcode.length]
        operand = int.from_bytes(raw[1:], "little")
        if opcode.mode == "r":
            operand = (address + at + 2 + (operand ^ 0x80) - 0x80) & 0xFFFF
        text = opcode.name + _FORMATS[opcode.mode].format(operand)
        lines.append(f"{address + at:04X}  {raw.hex():6}  {text}")
        at += opcode.length
    return "\n".join(lines)
