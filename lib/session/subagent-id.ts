// The ids of sessions that a tool call of another session began. They say which one, so that lists need not read them:
// lists leave them out as long as that session is there.

const FORM = /^agent-[0-9a-f]{8}-(.+)$/;
const LONGEST_ID = 64;
const LONGEST_PARENT = LONGEST_ID - 'agent-00000000-'.length;

/**
 * `token`: eight hexadecimal digits.
 *
 * @example
 * subagentId('talk', '1f0c9a2e'); // 'agent-1f0c9a2e-talk'
 */
export function subagentId(parentId: string, token: string): string {
  return `agent-${token}-${shortened(parentId)}`;
}

/** The ids of sessions that this session began. */
export function subagentsOf(parentId: string, ids: readonly string[]): string[] {
  return ids.filter((id) => parentIn(id) === shortened(parentId));
}

/** The ids of sessions that another session of the list began. */
export function subagentsIn(ids: readonly string[]): ReadonlySet<string> {
  const parents = new Set(ids.map(shortened));
  return new Set(ids.filter((id) => parents.has(parentIn(id) ?? '')));
}

function parentIn(id: string): string | undefined {
  return FORM.exec(id)?.[1];
}

/** An id has a length and does not end with a hyphen. */
function shortened(id: string): string {
  return id.slice(0, LONGEST_PARENT).replace(/-+$/, '');
}
