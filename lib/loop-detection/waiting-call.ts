// Says whether a call asks to wait, as `sleep 30 && cat state` or a tool named `wait_for_job` does.

const WAITING = /(?<![a-z])(?:[Ss]leep|[Ww]ait|[Pp]oll|[Ww]atch)(?:ing)?(?![a-z])/;
/** Longer texts are files that are written, not commands. */
const MAX_CHARACTERS = 2_000;

export function asksToWait(name: string, args: unknown): boolean {
  return WAITING.test(name) || textsIn(args).some((text) => text.length <= MAX_CHARACTERS && WAITING.test(text));
}

/** The texts and the names of members at the top: commands and options such as `wait_seconds`. */
function textsIn(args: unknown): readonly string[] {
  if (typeof args === 'string') return [args];
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args).flatMap(([name, value]) => (typeof value === 'string' ? [name, value] : [name]));
}
