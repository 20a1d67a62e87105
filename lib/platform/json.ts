// JSON that another program may have written: whether it can be parsed, whether it is an object, and one text for equal
// values; and objects without members that are undefined.

/** The members of an object of which nothing else is known. */
export type Members = Readonly<Record<string, unknown>>;

/** Undefined if the text is not JSON: torn, edited, or empty. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is what JSON calls an object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that the text is; undefined if it is anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** JSON in which the order of members makes no difference: they are sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/**
 * Without the members that are undefined.
 *
 * @example
 * ({ id, ...defined({ title, model }) }); // has a title only if there is one
 */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const known: Partial<Members> = {};
  // Done for each event of another program: a list of the members would cost as much as the rest of it.
  for (const name in members) if (members[name] !== undefined) known[name] = members[name];
  return known as Defined<Members>;
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
