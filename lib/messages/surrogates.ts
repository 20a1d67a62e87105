// A character beyond the first 65,536 is two units of a string. A cut must not part them.

/** Whether the unit is the first of two that make one character. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whether the unit is the second of two that make one character. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
