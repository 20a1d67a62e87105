// Thousands of small sessions in a home, as the programs themselves would have left them: journals by the product's own
// writer, and files of Claude Code.
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { answerOf, promptOf, writeClaude } from './claude-session.ts';
import { realPorts } from './journal-on-disk.ts';

const MINUTE_MS = 60_000;
/** Projects that they are spread over. */
export const PROJECTS = 40;
const WORDS = ['roses', 'beans', 'the pear', 'the shed', 'compost', 'the pond', 'onions', 'the fence'];

interface Many {
  readonly count: number;
  /** Every session with this distance is an own one, and the others are of Claude Code. */
  readonly ownEvery: number;
  /** The last activity of the newest, in milliseconds since 1970; each of the others is a minute older. */
  readonly newestMs: number;
}

/** The prompt of each is `session N about …`, the newest with 0. */
export async function writeManySessions(
  home: string,
  ollmHome: string,
  { count, ownEvery, newestMs }: Many,
): Promise<void> {
  const directory = join(ollmHome, 'session-data');
  mkdirSync(directory, { recursive: true });
  const clock = manualClock(newestMs);
  const store = openFileStore({ ...realPorts('ollm'), clock }, { directory });
  for (let at = count - 1; at >= 0; at -= 1) {
    const prompt = `session ${at} about ${WORDS[at % WORDS.length]}`;
    const cwd = join(home, 'projects', `bed-${at % PROJECTS}`);
    clock.set(newestMs - at * MINUTE_MS);
    if (at % ownEvery > 0) {
      const id = `5f3c0000-1111-4222-8333-${String(at).padStart(12, '0')}`;
      const file = join(home, '.claude/projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);
      const answer = answerOf(`m${at}`, { type: 'text', text: 'Done.' });
      writeClaude(file, [promptOf(prompt), answer], { cwd, id, startedMs: clock.now() });
      dateFile(file, clock.now());
      continue;
    }
    const created = { provider: 'ollama', model: 'maple-2', ollm: '0.1.0', cwd };
    const writer = await store.create(`s${at}`, created, { policy: 'process' });
    await writer.append([
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: prompt }], trusted: true } },
      { type: 'session.titled', data: { title: prompt, by: 'user' } },
    ]);
    await writer.close();
    dateFile(join(directory, `s${at}.jsonl`), clock.now());
  }
}

/** A list reads the files that changed last first. */
function dateFile(path: string, ms: number): void {
  utimesSync(path, ms / 1000, ms / 1000);
}
