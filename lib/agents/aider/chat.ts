// A chat in a history of aider as records, by the marks that aider itself reads: `> ` for a line that it shows, `#### `
// and two spaces at the end for a prompt. Any other text is an answer.
import type { JsonObject, Source } from '../agent.ts';

export const STARTED = '# aider chat started at ';
const PROMPT = '#### ';
const SHOWN = '> ';
const COMMAND = /^[/!]/;
/** A prompt follows the names of these commands. */
const ASKING = /^\/(?:ask|code|architect|context|help)\s+(?=\S)/;
const MODEL = /^(?:Main model|Model): (\S+)/;
const TOKENS =
  /^Tokens: ([\d.,]+[kM]?) sent,(?: ([\d.,]+[kM]?) cache write,)?(?: ([\d.,]+[kM]?) cache hit,)? ([\d.,]+[kM]?) received\.(?: Cost: \$([\d.]+) message)?/;

export function* chatOf(history: string | undefined, { facts }: Source): Iterable<JsonObject> {
  const [started, ...chat] = linesOf(history ?? '', Number(facts?.chat));
  if (started === undefined) return;
  yield { kind: 'chat', started: started.slice(STARTED.length).trim() };
  let kind: 'prompt' | 'answer' = 'answer';
  let lines: string[] = [];
  function* flush(): Iterable<JsonObject> {
    const whole = lines.join('\n').trim();
    lines = [];
    if (whole !== '') yield kind === 'prompt' ? promptOf(whole) : { kind: 'answer', text: whole };
  }
  for (const line of chat) {
    const next =
      line.startsWith(PROMPT) && line.endsWith('  ') ? 'prompt' : line.startsWith(SHOWN) ? 'shown' : 'answer';
    if (next !== kind) yield* flush();
    if (next === 'shown') yield shownOf(line.slice(SHOWN.length).trim());
    else {
      kind = next;
      lines.push(next === 'prompt' ? line.slice(PROMPT.length).trimEnd() : line.replace(/\r$/, ''));
    }
  }
  yield* flush();
}

/** The lines of one chat, counted from 0. A history has hundreds: those of the others are not told apart. */
function linesOf(history: string, chat: number): readonly string[] {
  let start = history.startsWith(STARTED) ? 0 : startAfter(history, 0);
  for (let passed = 0; passed !== chat && start >= 0; passed += 1) start = startAfter(history, start);
  if (start < 0) return [];
  const end = startAfter(history, start);
  return (end < 0 ? history.slice(start) : history.slice(start, end)).split('\n');
}

/** Where the next chat begins, or -1. */
function startAfter(history: string, at: number): number {
  const found = history.indexOf(`\n${STARTED}`, at);
  return found < 0 ? found : found + 1;
}

function promptOf(text: string): JsonObject {
  const asked = text.replace(ASKING, '');
  return COMMAND.test(asked) ? { kind: 'command', text } : { kind: 'prompt', text: asked };
}

function shownOf(text: string): JsonObject {
  const model = MODEL.exec(text)?.[1];
  if (model !== undefined) return { kind: 'model', model, text };
  const [found, sent, cacheWrite, cacheHit, received, cost] = TOKENS.exec(text) ?? [];
  if (found === undefined) return { kind: 'shown', text };
  const counts = { sent, received, cacheWrite, cacheHit, cost };
  const known = Object.entries(counts).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, numberOf(value)]],
  );
  return { kind: 'tokens', ...Object.fromEntries(known), text };
}

/** As aider prints it: `2.5k`. */
function numberOf(text: string): number {
  const factor = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1;
  return Number.parseFloat(text.replaceAll(',', '')) * factor;
}
