// Where a name is defined rather than used, as far as a line shows it, in the languages that most projects are written
// in. Pure.

const KEYWORDS =
  'function\\*?|class|interface|type|enum|struct|union|trait|impl|protocol|record|object|module|namespace|package|const|let|var|val|def|defn|fn|func|fun|sub|macro_rules!';
const MODIFIERS = 'public|private|protected|static|async|get|set|override|readonly|abstract|final|export|default';

/**
 * Returns which of these names a text defines.
 *
 * @example
 * definitionOf(['dropAnchor'])('export function dropAnchor(depth) {'); // ['dropAnchor']
 */
export function definitionOf(names: readonly string[]): (text: string) => readonly string[] {
  const patterns = names.map((name) => {
    const word = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    // The name is sought first and then looked back from: of all that is in these patterns it is the rarest.
    const declared = `(?![\\w$])(?<=(?<![\\w$.])(?:${KEYWORDS})\\s+(?:\\([^)]*\\)\\s*)?${word})`;
    const method = `(?<=^\\s+(?:(?:${MODIFIERS})\\s+)*[*#]?${word})\\s*(?:<[^>]*>)?\\([^;]*\\{\\s*$`;
    return { name, pattern: new RegExp(`${word}(?:${declared}|${method})`, 'im') };
  });
  return (text) => patterns.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name);
}
