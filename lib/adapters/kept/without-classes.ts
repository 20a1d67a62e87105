// A value as JSON would have it, with bytes, dates and addresses left as they are: those an item may hold.
export function withoutClasses(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array || value instanceof Date || value instanceof URL) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return withoutClasses(value.toJSON());
  if (Array.isArray(value)) return value.map(withoutClasses);
  const members = Object.entries(value).filter(([, member]) => typeof member !== 'function');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutClasses(member)]));
}
