// The front matter of a Markdown file: the YAML between two lines of three hyphens at its beginning. Faults in it are
// reported with their line, and the text after it counts nevertheless.
interface FrontMatter {
  /** The texts in it, by their key. Other values are left out. */
  readonly texts: ReadonlyMap<string, string>;
  /** The text after it, without blank lines around it; the whole text without front matter. */
  readonly body: string;
  readonly problems: readonly FrontMatterProblem[];
}

interface FrontMatterProblem {
  /** From 1. */
  readonly line: number;
  readonly words: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/;

/**
 * `keys`: those that are read. Others, which another program may know, are passed by.
 *
 * @example
 * (await readFrontMatter('---\ndescription: Reviews\n---\nLook at $1.', ['description'])).body; // 'Look at $1.'
 */
export async function readFrontMatter(text: string, keys: readonly string[]): Promise<FrontMatter> {
  const whole = { texts: new Map<string, string>(), body: text.trim(), problems: [] };
  if (!/^---[ \t]*\r?\n/.test(text)) return whole;
  const found = FRONT_MATTER.exec(text);
  if (found === null) return { ...whole, problems: [{ line: 1, words: 'the front matter has no end' }] };
  const { texts, problems } = await readTexts(found[1]!, keys);
  return { texts, body: text.slice(found[0].length).trim(), problems };
}

/** yaml is loaded only where there is front matter. */
async function readTexts(source: string, keys: readonly string[]): Promise<Omit<FrontMatter, 'body'>> {
  const { LineCounter, isMap, isScalar, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  // The line of hyphens is before it.
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line) + 1;
  const texts = new Map<string, string>();
  const [error] = document.errors;
  if (error) return { texts, problems: [{ line: lineAt(error.pos[0]), words: `not valid YAML: ${error.message}` }] };
  const { contents } = document;
  if (contents === null) return { texts, problems: [] };
  if (!isMap(contents)) return { texts, problems: [{ line: 2, words: 'the front matter must have keys' }] };
  const problems: FrontMatterProblem[] = [];
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || typeof key.value !== 'string' || !keys.includes(key.value)) continue;
    if (isScalar(value) && typeof value.value === 'string') texts.set(key.value, value.value);
    else problems.push({ line: lineAt(key.range?.[0] ?? 0), words: `${key.value} must be a text` });
  }
  return { texts, problems };
}
