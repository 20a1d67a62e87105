// A change of a settings file as a user looks at it before a yes: a unified diff, without the secrets around it.
import { unifiedDiff } from '../../tools/builtin/unified-diff.ts';
import type { App } from '../app.ts';

const LONGEST_LINE = 300;

/**
 * `before`: undefined for a file that is made. Of a file in one long line, only the characters that change.
 *
 * @example
 * await shownChange(app, { path: 'home/me/.codex/config.toml', before: '', after: '[mcp_servers.ollm]\n' });
 */
export async function shownChange(
  app: App,
  { path, before, after }: { readonly path: string; readonly before: string | undefined; readonly after: string },
): Promise<string> {
  const redact = await app.redactor({ onRequest: true });
  const { text } = await unifiedDiff(path, before, after);
  const lines = text.split('\n').some((line) => line.length > LONGEST_LINE) ? changed(before ?? '', after) : text;
  return redact(lines.trimEnd()).text;
}

function changed(before: string, after: string): string {
  const length = Math.min(before.length, after.length);
  let head = 0;
  while (head < length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const marked = (sign: string, text: string) => (text === '' ? [] : [`${sign}…${text}…`]);
  return [
    ...marked('-', before.slice(head, before.length - tail)),
    ...marked('+', after.slice(head, after.length - tail)),
  ].join('\n');
}
