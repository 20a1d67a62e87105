// The policy of a turn that a guest began: a call is denied, or its owner is asked. Rules that allow, grants, the mode
// of the session and harmless commands count for nothing.
import type { Decision, Policy } from '../decision.ts';

export function guestPolicy(policy: Policy): Policy {
  return {
    decide: (action) => strict(policy.decide(action)),
    // Answers to a guest's calls are for one call: “always” is not offered.
    grant: () => undefined,
  };
}

function strict(decision: Decision): Decision {
  switch (decision.kind) {
    case 'deny':
      return decision;
    case 'ask': {
      const { rule, reason, dangerous } = decision;
      return { kind: 'ask', rule, reason: `${reason} ${GUEST}`, dangerous };
    }
    case 'allow':
      return { kind: 'ask', rule: 'guest', reason: GUEST };
  }
}

const GUEST = 'A guest began this turn.';
