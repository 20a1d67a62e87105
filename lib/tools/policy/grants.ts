// The user's permanent answers: grants by “always”, denials by “never”. Kept outside the project and outside the
// journal: nothing that a model, a tool or an imported session writes can make one. The caller chooses where they are
// stored.

/** A single grant or denial. */
export interface Grant {
  /** Names it in lists and in `tool.decided`; never given twice in one project. */
  readonly number: number;
  /** `bash(npm test)` */
  readonly rule: string;
  /** RFC 3339. */
  readonly grantedAt: string;
}

/** The grants of one project. */
export interface GrantStore {
  /** The grants that hold now, oldest first. Another process may have changed them since the last call. */
  list(): readonly Grant[];
  /** The user's “never” answers, oldest first; their numbers differ from those of the grants. */
  denials(): readonly Grant[];
  /** Why the file cannot be used, in a sentence; then nothing is granted. */
  problem(): string | undefined;
  /**
   * Adds a grant. An existing one is not added again.
   *
   * @throws OllmError GRANTS_UNUSABLE if it cannot be kept
   */
  add(rule: string): Promise<Grant>;
  /**
   * Remembers a denial, and takes a grant of the same rule back.
   *
   * @throws OllmError GRANTS_UNUSABLE if it cannot be kept
   */
  deny(rule: string): Promise<Grant>;
  /**
   * Takes a grant or a denial back. False if there is none of that number.
   *
   * @throws OllmError GRANTS_UNUSABLE
   */
  revoke(number: number): Promise<boolean>;
}

/** The grants and denials of one project at one time. */
export interface GrantBook {
  /** The highest number that was ever given. */
  readonly last: number;
  readonly grants: readonly Grant[];
  readonly denials: readonly Grant[];
}

/** What a change makes of them; the same object where nothing changes. `at`: RFC 3339. */
export function withGrant(book: GrantBook, rule: string, at: string): GrantBook {
  if (ruleIn(book.grants, rule)) return book;
  const last = book.last + 1;
  const grant = { number: last, rule, grantedAt: at };
  return { last, grants: [...book.grants, grant], denials: without(book.denials, rule) };
}

export function withDenial(book: GrantBook, rule: string, at: string): GrantBook {
  if (ruleIn(book.denials, rule)) return book;
  const last = book.last + 1;
  const denial = { number: last, rule, grantedAt: at };
  return { last, grants: without(book.grants, rule), denials: [...book.denials, denial] };
}

export function withoutNumber(book: GrantBook, number: number): GrantBook {
  const kept = (list: readonly Grant[]) => list.filter((grant) => grant.number !== number);
  const isThere = [...book.grants, ...book.denials].some((grant) => grant.number === number);
  return isThere ? { ...book, grants: kept(book.grants), denials: kept(book.denials) } : book;
}

export function ruleIn(list: readonly Grant[], rule: string): Grant | undefined {
  return list.find((grant) => grant.rule === rule);
}

function without(list: readonly Grant[], rule: string): readonly Grant[] {
  return list.filter((grant) => grant.rule !== rule);
}

/** Grants that end with the process, for sessions that leave nothing on the disk. `now`: milliseconds since 1970. */
export function createSessionGrants(now: () => number): GrantStore {
  let book: GrantBook = { last: 0, grants: [], denials: [] };
  const at = () => new Date(now()).toISOString();
  return {
    list: () => book.grants,
    denials: () => book.denials,
    problem: () => undefined,
    async add(rule) {
      book = withGrant(book, rule, at());
      return ruleIn(book.grants, rule)!;
    },
    async deny(rule) {
      book = withDenial(book, rule, at());
      return ruleIn(book.denials, rule)!;
    },
    async revoke(number) {
      const before = book;
      book = withoutNumber(book, number);
      return book !== before;
    },
  };
}
