// What the user allowed for good by answering “always”. Kept outside the project and outside the journal: nothing that a
// model, a tool or an imported session writes can make one. Where they are kept is the business of whoever hands them in.

/** One thing that was granted. */
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
  /** Those that hold now, oldest first. Another process may have changed them since they were asked for last. */
  list(): readonly Grant[];
  /** Why what is kept cannot be used, in a sentence; then nothing is granted. */
  problem(): string | undefined;
  /**
   * Remembers one. What is there already is not added again.
   *
   * @throws OllmError GRANTS_UNUSABLE if it cannot be kept
   */
  add(rule: string): Grant;
  /**
   * Takes one back. False if there is none of that number.
   *
   * @throws OllmError GRANTS_UNUSABLE
   */
  revoke(number: number): boolean;
}

/** Grants that are gone with the process, for sessions that leave nothing behind. `now`: milliseconds since 1970. */
export function createSessionGrants(now: () => number): GrantStore {
  let grants: readonly Grant[] = [];
  let last = 0;
  return {
    list: () => grants,
    problem: () => undefined,
    add(rule) {
      const known = grants.find((grant) => grant.rule === rule);
      if (known) return known;
      last += 1;
      const grant = { number: last, rule, grantedAt: new Date(now()).toISOString() };
      grants = [...grants, grant];
      return grant;
    },
    revoke(number) {
      const kept = grants.filter((grant) => grant.number !== number);
      const isFound = kept.length < grants.length;
      grants = kept;
      return isFound;
    },
  };
}
