# Variables of a type with alternatives, as Rust compilers describe enumerations.
	.data
circle:	.long 0, 5
rect:	.long 1
	.short 2, 3
other:	.long 7, 0
	.text
	.globl main
	.type main, @function
main:	xor %eax, %eax
	ret
	.size main, .-main
	.section .note.GNU-stack, "", @progbits

	.section .debug_abbrev, "", @progbits
	.macro abbreviation number, tag, children, list:vararg
	.uleb128 \number, \tag
	.byte \children, \list, 0, 0
	.endm
	abbreviation 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b # compile unit: name, language
	abbreviation 2, 0x24, 0, 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b # base type: name, encoding, size
	abbreviation 3, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b # structure: name, size
	abbreviation 4, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b # member: name, type, place
	abbreviation 5, 0x33, 1, 0x15, 0x13 # variant part: discriminant
	abbreviation 6, 0x0d, 0, 0x49, 0x13, 0x38, 0x0b # member without name
	abbreviation 7, 0x19, 1, 0x16, 0x0b # variant: value
	.byte 8, 0x19, 1, 0, 0 # variant for all others
	abbreviation 9, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18 # variable: name, type, place
	.byte 0

	.macro member name, type, place
	.uleb128 4
	.asciz "\name"
	.long \type - unit
	.byte \place
	.endm
	.macro variable name
	.uleb128 9
	.asciz "\name"
	.long shape - unit
	.uleb128 9
	.byte 3
	.quad \name
	.endm
	.macro base label, name, encoding, size
\label:	.uleb128 2
	.asciz "\name"
	.byte \encoding, \size
	.endm
	.macro structure label, name, size
\label:	.uleb128 3
	.asciz "\name"
	.byte \size
	.endm

	.section .debug_info, "", @progbits
unit:	.long unit_end - unit_begin
unit_begin:
	.short 4
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.asciz "variants.s"
	.byte 0x0c
	base number, "int", 5, 4
	base small, "short", 5, 2
	structure circles, "Circle", 8
	member radius, number, 4
	.byte 0
	structure rects, "Rect", 8
	member w, small, 4
	member h, small, 6
	.byte 0
	structure empties, "Empty", 8
	.byte 0
	structure shape, "Shape", 8
	.uleb128 5
	.long chooser - unit
chooser:	.uleb128 6
	.long number - unit
	.byte 0
	.uleb128 7
	.byte 0
	member Circle, circles, 0
	.byte 0
	.uleb128 7
	.byte 1
	member Rect, rects, 0
	.byte 0
	.uleb128 8
	member Empty, empties, 0
	.byte 0
	.byte 0, 0
	variable circle
	variable rect
	variable other
	.byte 0
unit_end:
