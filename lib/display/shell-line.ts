// A command as a person pastes it into a shell.

const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * Words with other signs are quoted, so that one sees where each ends and a shell reads nothing else in it.
 *
 * @example
 * shellLine(['claude', '--resume', '5f3c copy']); // "claude --resume '5f3c copy'"
 */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
