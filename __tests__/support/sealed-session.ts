// A session that a passphrase opens, made as a terminal would make it.
import { createApp } from '../../lib/app/compose.ts';
import { openForAppending } from '../../lib/app/sessions/change/append-events.ts';

/** A hundredth of the usual: a second of processor for each passphrase is for thieves. */
const CHEAP = { N: 1024, r: 8, p: 1 };

export interface SealedSession {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly id: string;
  readonly passphrase: string;
  readonly lines: readonly object[];
}

export async function makeSealedSession({ env, cwd, id, passphrase, lines }: SealedSession): Promise<void> {
  const app = await createApp({
    env: { ...env, OLLM_RETENTION__ENCRYPT_AT_REST: 'true' },
    cwd,
    command: 'test',
    parts: { askPassphrase: () => passphrase, passphraseCost: CHEAP },
  });
  const appending = await openForAppending(app, id, { create: true, signal: new AbortController().signal });
  async function* input() {
    yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  for await (const answers of appending.answers(input())) {
    for (const answer of answers) if ('error' in answer) throw new Error(answer.error.message);
  }
  await appending.close();
  await app.close();
}
