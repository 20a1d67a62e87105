// An approval: valid for one action, once. The turn makes it from the decision or the user's answer, and checks it in
// the moment before the tool runs.

export interface Approval {
  /** The hash of the approved action; the same in `tool.decided` and `tool.started`. */
  readonly actionHash: string;
  /** True once, for the approved action; false from then on, and for any other. */
  use(actionHash: string): boolean;
}

/**
 * @example
 * const approval = approvalOf(actionHash(call, names));
 * approval.use(actionHash(call, names)); // true
 * approval.use(actionHash(call, names)); // false: it is used up
 */
export function approvalOf(actionHash: string): Approval {
  let isUsed = false;
  return {
    actionHash,
    use(other) {
      if (isUsed) return false;
      isUsed = true;
      return other === actionHash;
    },
  };
}
