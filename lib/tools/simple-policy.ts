// The policy of a program that embeds ollm, brings tools of its own and no policy (`runTurn` of the library): what its
// tools say that they only read may run, everything else is asked about. It knows no places and no rules, since such a
// program has no project and no configuration; no other program is started there, and what another one carries out is
// asked about.
import type { Decision, Policy } from './decision.ts';

export function simplePolicy({ granted, denied }: ToolNames = { granted: new Set(), denied: new Set() }): Policy {
  return {
    decide({ tool, isReadOnly, accesses, command, web, isRemote = false }): Decision {
      if (denied.has(tool)) return { kind: 'deny', rule: tool, reason: `You answered that ${tool} may never run.` };
      const changes =
        !isReadOnly ||
        isRemote ||
        web !== undefined ||
        command !== undefined ||
        accesses.some(({ kind }) => kind === 'write');
      if (!changes) return { kind: 'allow', by: 'policy', rule: 'default:reads' };
      if (granted.has(tool)) return { kind: 'allow', by: 'grant', rule: tool };
      return {
        kind: 'ask',
        rule: 'default:changes',
        reason: `${tool} may change something.`,
        grant: tool,
        denial: tool,
      };
    },
    grant: (rule) => void granted.add(rule),
    deny: (rule) => void denied.add(rule),
  };
}

/** The names of tools that the user answered for: read at each decision, and added to by an answer. */
interface ToolNames {
  readonly granted: Set<string>;
  readonly denied: Set<string>;
}
