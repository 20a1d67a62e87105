// One approval: for one action, once. The turn makes it from the decision or the answer of the user, and asks it for
// leave in the moment before the tool runs.

export interface Approval {
  /** Of what was decided on; the same in `tool.decided` and `tool.started`. */
  readonly actionHash: string;
  /** True once, if that is what was approved; from then on, and for anything else, false. */
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
