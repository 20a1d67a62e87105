// Front matter that is not valid YAML, read line by line as the programs do it: `key: text`, with indented lines after
// it as its rest.

/** What begins a list, an object, a reference or a block in YAML is not a text. */
const NOT_A_TEXT = /^[[{&*!|>%@`]/;

/** The first text of each key; an empty map for a text without front matter. */
export function looseFrontMatter(text: string): ReadonlyMap<string, string> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  const found = new Map<string, string>();
  if (lines[0]?.trimEnd() !== '---' || end < 0) return found;
  let key: string | undefined;
  for (const line of lines.slice(1, end)) {
    const [, name, value] = /^([A-Za-z][\w-]{0,63}):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = found.has(name) || NOT_A_TEXT.test(value ?? '') ? undefined : name;
      if (key !== undefined) found.set(key, (value ?? '').trim());
    } else if (key !== undefined && /^[ \t]+\S/.test(line)) {
      found.set(key, `${found.get(key)} ${line.trim()}`.trim());
    }
  }
  return found;
}
