// Which events are about a file and its writers, and not about the conversation in it. A copy of the conversation omits
// them, so no state of the conversation may depend on them.

const OF_FILE = /^(session\.created|session\.closed|queue\..*|source\..*|writer\..*|journal\..*)$/;

/** Whether the type is a fact about a file, or a prompt that waits in it. */
export function isOfFile(type: string): boolean {
  return OF_FILE.test(type);
}
