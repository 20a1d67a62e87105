// Why a type of record, or a member of one, stays in the source: by a decision of the module, with its reason, or
// because the module does not know it yet.

/**
 * The reason, as a clause, and its subjects: a type of records, such as `progress/hook`, or a member of one, such as
 * `user toolUseResult`. A `*` at the end of either matches any ending.
 */
export type LeftOut = Readonly<Record<string, readonly string[]>>;

interface Rule {
  readonly reason: string;
  readonly type: string;
  /** Undefined: for the type as a whole. */
  readonly member: string | undefined;
}

/** Finds the reason by the name of a type and, where it is about one of its members, by the path of that. */
export class Reasons {
  readonly #rules: readonly Rule[];

  constructor(leftOut: LeftOut) {
    this.#rules = Object.entries(leftOut).flatMap(([reason, names]) =>
      names.map((name) => {
        const [type = '', member] = name.split(' ');
        return { reason, type, member };
      }),
    );
  }

  of(type: string, member?: string): string | undefined {
    const holds = (rule: Rule) =>
      fits(rule.type, type) &&
      (rule.member === undefined ? member === undefined : member !== undefined && isBelow(rule.member, member));
    return this.#rules.find(holds)?.reason;
  }
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function isBelow(pattern: string, path: string): boolean {
  return fits(pattern, path) || path.startsWith(`${pattern}.`);
}
