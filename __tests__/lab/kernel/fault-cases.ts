// A disk that answers with errors: injected by strace, caused by a limit on the size of files, or by a small file
// system that is full. The child follows its commands, as the REPL would; afterwards the ledger must hold.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child, Workshop } from './child.ts';
import { withContext } from './kill-cases.ts';
import { checkLedger, Ledger, type Statement, Violation } from './ledger.ts';

/** A session that appends at both levels, saves and closes. Appends that fail are tried again with the same ids. */
const SESSION = ['open', 'append process 10', 'append disk 200', 'append process 3000', 'append disk 1', 'save'];

export interface Outcome {
  /** Codes of all that failed, in order. */
  readonly failures: readonly string[];
  readonly checked: number;
  /** What strace saw, where it was asked. */
  readonly trace: string;
}

/** `injections`: what strace is to do with calls on the journal, such as `write:error=ENOSPC:when=2`. */
export async function withInjections(workshop: Workshop, injections: readonly string[]): Promise<Outcome> {
  const directory = workshop.fresh();
  const trace = join(workshop.directory, `${injections.join('+').replaceAll(/\W/g, '-')}.trace`);
  const calls = injections.map((injection) => injection.split(':')[0]);
  const under = ['strace', '-f', '-o', trace, '-P', join(directory, 'notes.jsonl')];
  under.push('-e', `trace=${['fsync', 'fdatasync', ...calls].join(',')}`);
  under.push(...injections.flatMap((injection) => ['-e', `inject=${injection}`]));
  return withContext(injections.join(' '), async () => {
    const outcome = await converse(workshop.start([directory, 'obey'], { under }), directory);
    return { ...outcome, trace: readFileSync(trace, 'utf8') };
  });
}

/** No file may grow beyond that many bytes. */
export async function withFileLimit(workshop: Workshop, bytes: number): Promise<Outcome> {
  const directory = workshop.fresh();
  const under = ['prlimit', `--fsize=${bytes}`];
  return withContext(`files end at byte ${bytes}`, () =>
    converse(workshop.start([directory, 'obey'], { under }), directory),
  );
}

async function converse(child: Child, directory: string): Promise<Outcome> {
  const failures: string[] = [];
  const command = async (line: string): Promise<Statement> => {
    const answer = await child.command(line);
    if ('failed' in answer) failures.push(answer.code);
    return answer;
  };
  for (const line of SESSION) {
    const answer = await command(line);
    const isToTryAgain = 'failed' in answer && answer.code === 'JOURNAL_FULL' && line.startsWith('append');
    if (isToTryAgain) await command('again');
    if (line !== 'open' || !('failed' in answer)) continue;
    if ('failed' in (await command('open'))) break;
  }
  await command('close');
  child.process.stdin?.end();
  const { code } = await child.ended;
  if (code !== 0) throw new Violation(`The child ended with ${code}: ${child.errors()}`);
  const ledger = new Ledger();
  ledger.take(child.said);
  return { failures, checked: await checkLedger(ledger, directory), trace: '' };
}

/** Mounts the described file system at a new directory and returns it; always unmounts it. */
export async function whileMounted<T>(
  workshop: Workshop,
  args: readonly string[],
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = workshop.fresh();
  mkdirSync(directory);
  const mounted = spawnSync('mount', [...args, directory], { encoding: 'utf8' });
  if (mounted.status !== 0) throw new Error(`mount ${args.join(' ')}: ${mounted.stderr}`);
  try {
    return await work(directory);
  } finally {
    if (spawnSync('umount', [directory]).status !== 0) spawnSync('umount', ['-l', directory]);
  }
}
