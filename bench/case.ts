// A case in a process of its own: run.ts starts it and receives its rows.
import { join } from 'node:path';
import { type Contest, measure, type Skipped } from './measure.ts';

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
  /** Shows the current step of the case on a terminal. */
  progress(text: string): void;
}

/** A file of cases/ exports one as `run`. Each contest is measured before the case goes on. */
export type Case = (bench: Bench) => AsyncGenerator<Contest | Skipped, void, void>;

const { name, scale, directory, heldOut } = JSON.parse(process.argv[2]!) as CaseOrder;
// For the programs that it starts.
process.env.NODE_COMPILE_CACHE = join(directory, 'compile-cache');
const { run } = (await import(`./cases/${name}.ts`)) as { readonly run: Case };
const progress = (text: string) => void process.send!({ progress: text });
const size = (full: number, least = 1) => Math.max(least, Math.round(full * scale));
for await (const each of run({ scale, directory, heldOut, size, progress })) {
  progress(each.what);
  const rows = 'skipped' in each ? [each] : await measure({ ...each, rounds: size(each.rounds ?? 5) });
  for (const row of rows) process.send!({ row });
}
process.disconnect();
