/** Names of the operations that exist for i32 and i64 alike, so that no code builds names at run time. */
export const OPS_32 = {
  add: 'i32.add', sub: 'i32.sub', mul: 'i32.mul', and: 'i32.and', or: 'i32.or', xor: 'i32.xor', shl: 'i32.shl', shr_u: 'i32.shr_u',
  shr_s: 'i32.shr_s', rotl: 'i32.rotl', rotr: 'i32.rotr', eq: 'i32.eq', ne: 'i32.ne', eqz: 'i32.eqz', select: 'i32.select',
  lt_s: 'i32.lt_s', lt_u: 'i32.lt_u', gt_s: 'i32.gt_s', gt_u: 'i32.gt_u', le_s: 'i32.le_s', le_u: 'i32.le_u', ge_s: 'i32.ge_s', ge_u: 'i32.ge_u',
} as const;

export type WidthOp = keyof typeof OPS_32;

export const OPS_64 = {
  add: 'i64.add', sub: 'i64.sub', mul: 'i64.mul', and: 'i64.and', or: 'i64.or', xor: 'i64.xor', shl: 'i64.shl', shr_u: 'i64.shr_u',
  shr_s: 'i64.shr_s', rotl: 'i64.rotl', rotr: 'i64.rotr', eq: 'i64.eq', ne: 'i64.ne', eqz: 'i64.eqz', select: 'i64.select',
  lt_s: 'i64.lt_s', lt_u: 'i64.lt_u', gt_s: 'i64.gt_s', gt_u: 'i64.gt_u', le_s: 'i64.le_s', le_u: 'i64.le_u', ge_s: 'i64.ge_s', ge_u: 'i64.ge_u',
} as const satisfies Record<WidthOp, string>;
