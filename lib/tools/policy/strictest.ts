// The strictest decision of those on the parts of a call. Deny beats ask, ask beats allow.
import type { Decision } from '../decision.ts';

type Ask = Extract<Decision, { readonly kind: 'ask' }>;
type Allow = Extract<Decision, { readonly kind: 'allow' }>;

/** At least one. */
export function strictest(decisions: readonly Decision[]): Decision {
  const denied = decisions.find(({ kind }) => kind === 'deny');
  if (denied) return denied;
  const asked = decisions.filter((decision): decision is Ask => decision.kind === 'ask');
  if (asked.length > 0) return joinAsks(asked);
  const allowed = decisions.filter((decision): decision is Allow => decision.kind === 'allow');
  return {
    kind: 'allow',
    by: allowed.some(({ by }) => by === 'grant') ? 'grant' : 'policy',
    rule: distinct(allowed.map(({ rule }) => rule)).join('; '),
  };
}

/** The number of parts that are read before they are granted. */
const MOST_GRANTS = 6;

/** “Always” grants each part that is asked about, or is not offered; “never” is offered where one rule says it all. */
function joinAsks(asked: readonly Ask[]): Ask {
  const dangerous = distinct(asked.flatMap((ask) => ask.dangerous ?? [])).join('; ') || undefined;
  const grants = distinct(asked.flatMap(({ grant = '', alsoGrant = [] }) => [grant, ...alsoGrant]));
  const isOffered = !grants.includes('') && grants.length <= MOST_GRANTS && dangerous === undefined;
  const [grant, ...alsoGrant] = isOffered ? grants : [];
  const denials = distinct(asked.map(({ denial }) => denial ?? ''));
  const [denial] = denials.length === 1 ? denials : [];
  return {
    kind: 'ask',
    rule: distinct(asked.map(({ rule }) => rule)).join('; '),
    reason: distinct(asked.map(({ reason }) => reason)).join(' '),
    ...(grant === undefined ? {} : { grant }),
    ...(alsoGrant.length === 0 ? {} : { alsoGrant }),
    ...(denial ? { denial } : {}),
    ...(dangerous ? { dangerous } : {}),
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
