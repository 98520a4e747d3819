/**
 * Opcodes of fixed-width SIMD (WebAssembly 2.0), grouped by the shape of their immediates.
 * Encoded as 0xfd000 + n, see opcodes.ts. The gaps in the numbering are the specification's.
 */

/** No immediates. */
export const SIMD_PLAIN = {
  'i8x16.swizzle': 0xfd00e, 'i8x16.splat': 0xfd00f, 'i16x8.splat': 0xfd010, 'i32x4.splat': 0xfd011,
  'i64x2.splat': 0xfd012, 'f32x4.splat': 0xfd013, 'f64x2.splat': 0xfd014,

  'i8x16.eq': 0xfd023, 'i8x16.ne': 0xfd024, 'i8x16.lt_s': 0xfd025, 'i8x16.lt_u': 0xfd026, 'i8x16.gt_s': 0xfd027,
  'i8x16.gt_u': 0xfd028, 'i8x16.le_s': 0xfd029, 'i8x16.le_u': 0xfd02a, 'i8x16.ge_s': 0xfd02b, 'i8x16.ge_u': 0xfd02c,
  'i16x8.eq': 0xfd02d, 'i16x8.ne': 0xfd02e, 'i16x8.lt_s': 0xfd02f, 'i16x8.lt_u': 0xfd030, 'i16x8.gt_s': 0xfd031,
  'i16x8.gt_u': 0xfd032, 'i16x8.le_s': 0xfd033, 'i16x8.le_u': 0xfd034, 'i16x8.ge_s': 0xfd035, 'i16x8.ge_u': 0xfd036,
  'i32x4.eq': 0xfd037, 'i32x4.ne': 0xfd038, 'i32x4.lt_s': 0xfd039, 'i32x4.lt_u': 0xfd03a, 'i32x4.gt_s': 0xfd03b,
  'i32x4.gt_u': 0xfd03c, 'i32x4.le_s': 0xfd03d, 'i32x4.le_u': 0xfd03e, 'i32x4.ge_s': 0xfd03f, 'i32x4.ge_u': 0xfd040,
  'f32x4.eq': 0xfd041, 'f32x4.ne': 0xfd042, 'f32x4.lt': 0xfd043, 'f32x4.gt': 0xfd044, 'f32x4.le': 0xfd045,
  'f32x4.ge': 0xfd046,
  'f64x2.eq': 0xfd047, 'f64x2.ne': 0xfd048, 'f64x2.lt': 0xfd049, 'f64x2.gt': 0xfd04a, 'f64x2.le': 0xfd04b,
  'f64x2.ge': 0xfd04c,

  'v128.not': 0xfd04d, 'v128.and': 0xfd04e, 'v128.andnot': 0xfd04f, 'v128.or': 0xfd050, 'v128.xor': 0xfd051,
  'v128.bitselect': 0xfd052, 'v128.any_true': 0xfd053,

  'f32x4.demote_f64x2_zero': 0xfd05e, 'f64x2.promote_low_f32x4': 0xfd05f,

  'i8x16.abs': 0xfd060, 'i8x16.neg': 0xfd061, 'i8x16.popcnt': 0xfd062, 'i8x16.all_true': 0xfd063,
  'i8x16.bitmask': 0xfd064, 'i8x16.narrow_i16x8_s': 0xfd065, 'i8x16.narrow_i16x8_u': 0xfd066,
  'f32x4.ceil': 0xfd067, 'f32x4.floor': 0xfd068, 'f32x4.trunc': 0xfd069, 'f32x4.nearest': 0xfd06a,
  'i8x16.shl': 0xfd06b, 'i8x16.shr_s': 0xfd06c, 'i8x16.shr_u': 0xfd06d, 'i8x16.add': 0xfd06e,
  'i8x16.add_sat_s': 0xfd06f, 'i8x16.add_sat_u': 0xfd070, 'i8x16.sub': 0xfd071, 'i8x16.sub_sat_s': 0xfd072,
  'i8x16.sub_sat_u': 0xfd073, 'f64x2.ceil': 0xfd074, 'f64x2.floor': 0xfd075, 'i8x16.min_s': 0xfd076,
  'i8x16.min_u': 0xfd077, 'i8x16.max_s': 0xfd078, 'i8x16.max_u': 0xfd079, 'f64x2.trunc': 0xfd07a,
  'i8x16.avgr_u': 0xfd07b,

  'i16x8.extadd_pairwise_i8x16_s': 0xfd07c, 'i16x8.extadd_pairwise_i8x16_u': 0xfd07d,
  'i32x4.extadd_pairwise_i16x8_s': 0xfd07e, 'i32x4.extadd_pairwise_i16x8_u': 0xfd07f,

  'i16x8.abs': 0xfd080, 'i16x8.neg': 0xfd081, 'i16x8.q15mulr_sat_s': 0xfd082, 'i16x8.all_true': 0xfd083,
  'i16x8.bitmask': 0xfd084, 'i16x8.narrow_i32x4_s': 0xfd085, 'i16x8.narrow_i32x4_u': 0xfd086,
  'i16x8.extend_low_i8x16_s': 0xfd087, 'i16x8.extend_high_i8x16_s': 0xfd088, 'i16x8.extend_low_i8x16_u': 0xfd089,
  'i16x8.extend_high_i8x16_u': 0xfd08a, 'i16x8.shl': 0xfd08b, 'i16x8.shr_s': 0xfd08c, 'i16x8.shr_u': 0xfd08d,
  'i16x8.add': 0xfd08e, 'i16x8.add_sat_s': 0xfd08f, 'i16x8.add_sat_u': 0xfd090, 'i16x8.sub': 0xfd091,
  'i16x8.sub_sat_s': 0xfd092, 'i16x8.sub_sat_u': 0xfd093, 'f64x2.nearest': 0xfd094, 'i16x8.mul': 0xfd095,
  'i16x8.min_s': 0xfd096, 'i16x8.min_u': 0xfd097, 'i16x8.max_s': 0xfd098, 'i16x8.max_u': 0xfd099,
  'i16x8.avgr_u': 0xfd09b, 'i16x8.extmul_low_i8x16_s': 0xfd09c, 'i16x8.extmul_high_i8x16_s': 0xfd09d,
  'i16x8.extmul_low_i8x16_u': 0xfd09e, 'i16x8.extmul_high_i8x16_u': 0xfd09f,

  'i32x4.abs': 0xfd0a0, 'i32x4.neg': 0xfd0a1, 'i32x4.all_true': 0xfd0a3, 'i32x4.bitmask': 0xfd0a4,
  'i32x4.extend_low_i16x8_s': 0xfd0a7, 'i32x4.extend_high_i16x8_s': 0xfd0a8, 'i32x4.extend_low_i16x8_u': 0xfd0a9,
  'i32x4.extend_high_i16x8_u': 0xfd0aa, 'i32x4.shl': 0xfd0ab, 'i32x4.shr_s': 0xfd0ac, 'i32x4.shr_u': 0xfd0ad,
  'i32x4.add': 0xfd0ae, 'i32x4.sub': 0xfd0b1, 'i32x4.mul': 0xfd0b5, 'i32x4.min_s': 0xfd0b6, 'i32x4.min_u': 0xfd0b7,
  'i32x4.max_s': 0xfd0b8, 'i32x4.max_u': 0xfd0b9, 'i32x4.dot_i16x8_s': 0xfd0ba,
  'i32x4.extmul_low_i16x8_s': 0xfd0bc, 'i32x4.extmul_high_i16x8_s': 0xfd0bd, 'i32x4.extmul_low_i16x8_u': 0xfd0be,
  'i32x4.extmul_high_i16x8_u': 0xfd0bf,

  'i64x2.abs': 0xfd0c0, 'i64x2.neg': 0xfd0c1, 'i64x2.all_true': 0xfd0c3, 'i64x2.bitmask': 0xfd0c4,
  'i64x2.extend_low_i32x4_s': 0xfd0c7, 'i64x2.extend_high_i32x4_s': 0xfd0c8, 'i64x2.extend_low_i32x4_u': 0xfd0c9,
  'i64x2.extend_high_i32x4_u': 0xfd0ca, 'i64x2.shl': 0xfd0cb, 'i64x2.shr_s': 0xfd0cc, 'i64x2.shr_u': 0xfd0cd,
  'i64x2.add': 0xfd0ce, 'i64x2.sub': 0xfd0d1, 'i64x2.mul': 0xfd0d5, 'i64x2.eq': 0xfd0d6, 'i64x2.ne': 0xfd0d7,
  'i64x2.lt_s': 0xfd0d8, 'i64x2.gt_s': 0xfd0d9, 'i64x2.le_s': 0xfd0da, 'i64x2.ge_s': 0xfd0db,
  'i64x2.extmul_low_i32x4_s': 0xfd0dc, 'i64x2.extmul_high_i32x4_s': 0xfd0dd, 'i64x2.extmul_low_i32x4_u': 0xfd0de,
  'i64x2.extmul_high_i32x4_u': 0xfd0df,

  'f32x4.abs': 0xfd0e0, 'f32x4.neg': 0xfd0e1, 'f32x4.sqrt': 0xfd0e3, 'f32x4.add': 0xfd0e4, 'f32x4.sub': 0xfd0e5,
  'f32x4.mul': 0xfd0e6, 'f32x4.div': 0xfd0e7, 'f32x4.min': 0xfd0e8, 'f32x4.max': 0xfd0e9, 'f32x4.pmin': 0xfd0ea,
  'f32x4.pmax': 0xfd0eb,
  'f64x2.abs': 0xfd0ec, 'f64x2.neg': 0xfd0ed, 'f64x2.sqrt': 0xfd0ef, 'f64x2.add': 0xfd0f0, 'f64x2.sub': 0xfd0f1,
  'f64x2.mul': 0xfd0f2, 'f64x2.div': 0xfd0f3, 'f64x2.min': 0xfd0f4, 'f64x2.max': 0xfd0f5, 'f64x2.pmin': 0xfd0f6,
  'f64x2.pmax': 0xfd0f7,

  'i32x4.trunc_sat_f32x4_s': 0xfd0f8, 'i32x4.trunc_sat_f32x4_u': 0xfd0f9, 'f32x4.convert_i32x4_s': 0xfd0fa,
  'f32x4.convert_i32x4_u': 0xfd0fb, 'i32x4.trunc_sat_f64x2_s_zero': 0xfd0fc, 'i32x4.trunc_sat_f64x2_u_zero': 0xfd0fd,
  'f64x2.convert_low_i32x4_s': 0xfd0fe, 'f64x2.convert_low_i32x4_u': 0xfd0ff,
} as const;

/** Alignment and offset. */
export const SIMD_MEMORY = {
  'v128.load': 0xfd000, 'v128.load8x8_s': 0xfd001, 'v128.load8x8_u': 0xfd002, 'v128.load16x4_s': 0xfd003,
  'v128.load16x4_u': 0xfd004, 'v128.load32x2_s': 0xfd005, 'v128.load32x2_u': 0xfd006, 'v128.load8_splat': 0xfd007,
  'v128.load16_splat': 0xfd008, 'v128.load32_splat': 0xfd009, 'v128.load64_splat': 0xfd00a, 'v128.store': 0xfd00b,
  'v128.load32_zero': 0xfd05c, 'v128.load64_zero': 0xfd05d,
} as const;

/** Alignment, offset and lane. */
export const SIMD_MEMORY_LANE = {
  'v128.load8_lane': 0xfd054, 'v128.load16_lane': 0xfd055, 'v128.load32_lane': 0xfd056, 'v128.load64_lane': 0xfd057,
  'v128.store8_lane': 0xfd058, 'v128.store16_lane': 0xfd059, 'v128.store32_lane': 0xfd05a,
  'v128.store64_lane': 0xfd05b,
} as const;

/** Lane. */
export const SIMD_LANE = {
  'i8x16.extract_lane_s': 0xfd015, 'i8x16.extract_lane_u': 0xfd016, 'i8x16.replace_lane': 0xfd017,
  'i16x8.extract_lane_s': 0xfd018, 'i16x8.extract_lane_u': 0xfd019, 'i16x8.replace_lane': 0xfd01a,
  'i32x4.extract_lane': 0xfd01b, 'i32x4.replace_lane': 0xfd01c, 'i64x2.extract_lane': 0xfd01d,
  'i64x2.replace_lane': 0xfd01e, 'f32x4.extract_lane': 0xfd01f, 'f32x4.replace_lane': 0xfd020,
  'f64x2.extract_lane': 0xfd021, 'f64x2.replace_lane': 0xfd022,
} as const;

/** Sixteen bytes: a constant, or the source lane of every byte. */
export const SIMD_BYTES = { 'v128.const': 0xfd00c, 'i8x16.shuffle': 0xfd00d } as const;
