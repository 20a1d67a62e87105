// The policy of a program that has none of its own: what only reads may run, everything else is asked about.
import type { Decision, Policy } from '../decision.ts';

export function simplePolicy(): Policy {
  const granted = new Set<string>();
  return {
    decide({ tool, isReadOnly, accesses, command }): Decision {
      const changes = !isReadOnly || command !== undefined || accesses.some(({ kind }) => kind === 'write');
      if (!changes) return { kind: 'allow', by: 'policy', rule: 'default:reads' };
      if (granted.has(tool)) return { kind: 'allow', by: 'grant', rule: tool };
      return { kind: 'ask', rule: 'default:changes', reason: `${tool} may change something.`, grant: tool };
    },
    grant: (rule) => void granted.add(rule),
  };
}
