// What a call is about, in a word of its arguments, whichever program's tool it is.

/** Members that say it, the best first. */
const SUBJECTS = [
  ...['command', 'cmd', 'args'],
  ...['path', 'file_path', 'filePath', 'absolute_path', 'notebook_path', 'target_file'],
  ...['pattern', 'query', 'url', 'description', 'prompt', 'task', 'question', 'name', 'title'],
];

/**
 * A command that is a list of words is joined. Undefined if the arguments name nothing that is known.
 *
 * @example
 * subjectOfCall({ content: '…', path: 'a.md' }); // 'a.md'
 */
export function subjectOfCall(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  for (const name of SUBJECTS) {
    const value: unknown = Object.hasOwn(args, name) ? (args as Readonly<Record<string, unknown>>)[name] : undefined;
    const isList = Array.isArray(value) && value.every((word) => typeof word === 'string');
    const text = isList ? value.join(' ') : value;
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return undefined;
}
