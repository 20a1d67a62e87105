// `kill -9`: before every call that changes the disk in a scripted session, and at any moment of one that writes.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../random.ts';
import type { Child, Workshop } from './child.ts';
import { type Acknowledged, checkLedger, Ledger, openStore, Violation } from './ledger.ts';

/** What changes a disk. `open` and `mkdir` make names as well, which the next of these follows. */
export const DEADLY_CALLS = ['write', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'rmdir'] as const;
export type DeadlyCall = (typeof DEADLY_CALLS)[number];

const PREPARED = ['torn', 'bent', 'moving', 'leaving'] as const;
const JOURNALS = ['notes', ...PREPARED];
/** In each life of a process that only writes. */
const LEAST_APPENDS = 10;

export interface Template {
  readonly directory: string;
  readonly sessions: ReadonlyMap<string, readonly Acknowledged[]>;
}

/** Sessions for the script to work on: one torn, one with a bad line, two to be moved. */
export async function prepareTemplate(workshop: Workshop): Promise<Template> {
  const directory = workshop.fresh();
  mkdirSync(directory, { mode: 0o700 });
  const store = openStore(directory);
  const sessions = new Map<string, readonly Acknowledged[]>();
  for (const id of PREPARED) {
    const writer = await store.create(id, { model: 'm', provider: 'p', ollm: '0' });
    const acknowledged: Acknowledged[] = [];
    for (let count = 1; count <= 4; count += 1) {
      const marker = `m0-${id.length}${count}`;
      const data = { role: 'user', parts: [{ type: 'text', text: `${marker} ${id}` }], trusted: true };
      const tokens = { count: 1, method: 'unknown' };
      const [receipt] = await writer.append(
        { type: 'message.added', data: { ...data, tokens } },
        { durability: 'disk' },
      );
      acknowledged.push({ marker, seq: receipt!.seq, xxh64: receipt!.xxh64 });
    }
    await writer.close();
    sessions.set(id, acknowledged);
  }
  appendFileSync(join(directory, 'torn.jsonl'), '{"seq":5,"ts":"2026-11-21T');
  // A byte of the second event changes: that one is damaged, and no longer among what must be there.
  const bent = join(directory, 'bent.jsonl');
  const [, , second] = sessions.get('bent')!;
  writeFileSync(
    bent,
    readFileSync(bent, 'latin1').replace(`${second!.marker} bent`, `${second!.marker} bend`),
    'latin1',
  );
  sessions.set(
    'bent',
    sessions.get('bent')!.filter((event) => event !== second),
  );
  return { directory, sessions };
}

/** Kills the script before its nth call of this kind. Undefined: it lived, because there are not that many. */
export async function killBefore(
  workshop: Workshop,
  template: Template,
  call: DeadlyCall,
  nth: number,
): Promise<number | undefined> {
  const directory = workshop.fresh(template.directory);
  const ledger = ledgerOf(template);
  const inject = `inject=${call}:signal=KILL:when=${nth}`;
  const under = ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
  // Threads of a process write to wake each other as well: only writes to journals are counted.
  if (call === 'write') under.push(...JOURNALS.flatMap((id) => ['-P', join(directory, `${id}.jsonl`)]));
  const child = workshop.start([directory, 'script'], { under });
  const { code } = await child.ended;
  ledger.take(child.said);
  if (code === 0 && !child.said.some((statement) => 'did' in statement && statement.did === 'all')) {
    throw new Violation('The script ended early, with exit code 0.');
  }
  if (code !== 0 && child.errors() !== '') throw new Violation(`The script failed: ${child.errors()}`);
  const checked = await withContext(`killed before ${call} ${nth}`, () => checkLedger(ledger, directory));
  return code === 0 ? undefined : checked;
}

/**
 * A session, written and killed again and again at moments that the seed chooses; the ledger goes on over all lives.
 */
export async function killAtRandom(workshop: Workshop, seed: number, lives: number): Promise<number> {
  const random = seededRandom(seed);
  const directory = workshop.fresh();
  const ledger = new Ledger();
  let checked = 0;
  for (let life = 1; life <= lives; life += 1) {
    const child = workshop.start([directory, 'write', String(seed * 1000 + life)]);
    await hearsAppends(child);
    await sleep(random() * 60);
    await child.kill();
    ledger.take(child.said);
    checked = await withContext(`seed ${seed}, life ${life}`, () => checkLedger(ledger, directory));
  }
  return checked;
}

/** However slow the machine is, there is something to lose. */
export async function hearsAppends(child: Child): Promise<void> {
  let appends = 0;
  await child.hears((statement) => 'did' in statement && statement.did === 'append' && ++appends === LEAST_APPENDS);
}

export function ledgerOf(template: Template): Ledger {
  const ledger = new Ledger();
  for (const [id, acknowledged] of template.sessions) ledger.add(id, acknowledged);
  return ledger;
}

/** Says in which case something was wrong. */
export async function withContext<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Violation(`${where}: ${(error as Error).message}`, { cause: error });
  }
}
