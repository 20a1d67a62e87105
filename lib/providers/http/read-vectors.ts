// Reads the vectors of an answer, which may have any shape. Pure.

/** Undefined unless these are `count` vectors of one length, each of finite numbers. */
export function vectorsIn(value: unknown, count: number): readonly Float32Array[] | undefined {
  if (!Array.isArray(value) || value.length !== count) return undefined;
  const [first] = value as readonly unknown[];
  const length = Array.isArray(first) ? first.length : 0;
  if (length === 0 || !value.every((each) => isVector(each, length))) return undefined;
  const vectors = value.map((each) => Float32Array.from(each as readonly number[]));
  // A number that is finite with 64 bits need not be with 32.
  return vectors.every((vector) => vector.every(Number.isFinite)) ? vectors : undefined;
}

function isVector(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every((each) => typeof each === 'number');
}
