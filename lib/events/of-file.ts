// Which events are about a file and its writers, and not about the conversation in it. A copy of the conversation
// leaves them behind, so no state of the conversation may depend on them.

const OF_FILE = /^(session\.created|session\.closed|queue\..*|source\..*|writer\..*|journal\..*)$/;

/** Facts about a file; and what waits to be said in it. */
export function isOfFile(type: string): boolean {
  return OF_FILE.test(type);
}
