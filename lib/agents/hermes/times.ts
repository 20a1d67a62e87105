// The times of Hermes Agent: seconds with a fraction.

export function millisecondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.round(value * 1000) : undefined;
}
