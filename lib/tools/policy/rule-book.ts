// All rules that hold for a decision: those of the configuration, and the grants of the user. A rule that cannot be
// read never widens what is allowed: an allow rule is left out, an ask or deny rule counts for its whole tool.
import type { Grant } from './grants.ts';
import { type ParsedRule, parseRule, type Rule } from './rules.ts';

export interface RuleSettings {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export interface RuleBook {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  /** What could not be read, a sentence each. */
  readonly warnings: readonly string[];
}

export function readRules({ allow, ask, deny }: RuleSettings): RuleBook {
  const warnings: string[] = [];
  const read = (sources: readonly string[], list: keyof RuleSettings): Rule[] =>
    sources.flatMap((source) => {
      const parsed = parseRule(source);
      if (parsed.kind === 'rule') return [parsed.rule];
      const replacement = list === 'allow' ? undefined : widest(parsed);
      warnings.push(
        `tools.${list}: the rule ${JSON.stringify(source.slice(0, 200))} ${parsed.reason}. ${consequence(replacement)}`,
      );
      return replacement ? [replacement] : [];
    });
  return { allow: read(allow, 'allow'), ask: read(ask, 'ask'), deny: read(deny, 'deny'), warnings };
}

function widest({ tool }: Extract<ParsedRule, { readonly kind: 'broken' }>): Rule {
  return { source: tool ?? '*', tool: tool ?? '*' };
}

function consequence(replacement: Rule | undefined): string {
  if (replacement === undefined) return 'It allows nothing.';
  return replacement.tool === '*'
    ? 'Until it is corrected it counts for every tool.'
    : `Until it is corrected it counts for all of ${replacement.tool}.`;
}

/** A denial as a rule. One that cannot be read counts for all of its tool. */
export function ruleOfDenial({ rule }: Grant): Rule {
  const parsed = parseRule(rule);
  return parsed.kind === 'rule' ? parsed.rule : widest(parsed);
}

/** A grant as a rule; undefined if it cannot be read, and then it grants nothing. */
export function ruleOfGrant({ rule }: Grant): Rule | undefined {
  const parsed = parseRule(rule);
  return parsed.kind === 'rule' ? parsed.rule : undefined;
}
