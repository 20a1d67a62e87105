// The REPL in this process, its streams in the hands of a test, its sessions in a directory of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type AppParts, createApp } from '../../lib/app/compose.ts';
import type { OpenRequest } from '../../lib/app/sessions/open/open-session.ts';
import { startRepl } from '../../lib/repl/repl.ts';
import { plantSecrets } from '../support/planted.ts';
import { until as untilSo } from '../support/until.ts';

export interface PipedRepl extends Disposable {
  readonly home: string;
  readonly shown: { output: string; errors: string };
  readonly exitCode: Promise<number>;
  enter(...lines: readonly string[]): void;
  /** No more input. */
  end(): void;
  /** Waits until this was shown. */
  until(text: string): Promise<void>;
}

export interface PipedReplOptions {
  readonly open?: OpenRequest;
  readonly parts?: AppParts;
  /** For a REPL before this one, which removes it. */
  readonly home?: string;
  /** Default: its home. */
  readonly cwd?: string;
  /** Variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

export async function openPipedRepl({
  open = { kind: 'new', name: 'talk', provider: 'offline' },
  parts = {},
  home: homeBefore,
  cwd,
  settings = {},
}: PipedReplOptions = {}): Promise<PipedRepl> {
  const home = homeBefore ?? mkdtempSync(join(tmpdir(), 'ollm-repl-'));
  const secrets = plantSecrets();
  const app = await createApp({
    env: secrets.plant({ HOME: home, OLLM_HOME: home, ...settings }),
    cwd: cwd ?? home,
    command: 'ollm repl',
    parts,
  });
  const input = new PassThrough();
  const shown = { output: '', errors: '' };
  const gather = (name: keyof typeof shown) =>
    new PassThrough().on('data', (chunk) => {
      shown[name] += chunk;
    }) as unknown as NodeJS.WriteStream;
  const exitCode = startRepl(app, {
    open,
    streams: { input: input as unknown as NodeJS.ReadStream, output: gather('output'), errors: gather('errors') },
  });
  const until = (text: string) => untilSo(() => (shown.output + shown.errors).includes(text));
  await until('Session ');
  return {
    home,
    shown,
    exitCode,
    enter: (...lines) => void input.write(lines.map((line) => `${line}\n`).join('')),
    end: () => void input.end(),
    until,
    [Symbol.dispose]: () => {
      try {
        secrets.requireKept(home);
      } finally {
        if (homeBefore === undefined) rmSync(home, { recursive: true, force: true });
      }
    },
  };
}
