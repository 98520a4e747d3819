/** Bits that the immediate of a rep.* operation has beside the element size in its low four bits. */
export const REP = {
  /** cmps and scas: repne, i.e. go on while the elements differ. */
  WHILE_NOT_EQUAL: 16,
  /** 67h: esi, edi and ecx instead of the whole registers. */
  ADDRESS_32: 32,
  /** The source is relative to fs or gs. */
  FS: 64,
  GS: 128,
  SIZE_MASK: 15,
} as const;
