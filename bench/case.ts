// A case in a process of its own: run.ts starts it and receives its rows.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Contest, measure, type Note } from './measure.ts';

export interface CaseOrder {
  readonly name: string;
  /** Multiplies the sizes. */
  readonly scale: number;
  /** Empty; removed when the case has ended. */
  readonly directory: string;
  /** Whether questions that were put aside are asked. */
  readonly heldOut: boolean;
}

export interface Bench extends Omit<CaseOrder, 'name'> {
  /** A size at this scale, at least `least`. */
  size(full: number, least?: number): number;
  /** Makes a home in the directory of the case. */
  home(name?: string): string;
}

/** A file of cases/ exports one as `run`. Each contest is measured before the case goes on. */
export type Case = (bench: Bench) => AsyncGenerator<Contest | Note, void, void>;

const { name, ...order } = JSON.parse(process.argv[2]!) as CaseOrder;
// For the programs that it starts.
process.env.NODE_COMPILE_CACHE = join(order.directory, 'compile-cache');
const { run } = (await import(`./cases/${name}.ts`)) as { readonly run: Case };
const size = (full: number, least = 1) => Math.max(least, Math.round(full * order.scale));
const home = (own = 'home') => {
  const path = join(order.directory, own);
  mkdirSync(path, { mode: 0o700 });
  return path;
};
for await (const each of run({ ...order, size, home })) {
  const rows = 'ollm' in each ? await measure({ ...each, rounds: size(each.rounds ?? 5) }) : [each];
  for (const row of rows) process.send!(row);
}
process.disconnect();
