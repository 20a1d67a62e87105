// One case in a process of its own. Started by run.ts, which it sends each row.
import type { Bench, Case } from './bench.ts';
import type { Row } from './measure.ts';

export interface CaseOrder {
  readonly name: string;
  readonly quick: boolean;
  readonly seed: number;
  readonly lengths: readonly number[];
  readonly directory: string;
  readonly shared: string;
}

export type CaseMessage =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'progress'; readonly text: string };

const order = JSON.parse(process.argv[2]!) as CaseOrder;
const bench: Bench = {
  quick: order.quick,
  seed: order.seed,
  pairs: order.quick ? 3 : 9,
  lengths: order.lengths,
  directory: order.directory,
  shared: order.shared,
  progress: (text) => send({ kind: 'progress', text }),
};

const { run } = (await import(`./cases/${order.name}.ts`)) as { run: Case };
for await (const row of run(bench)) send({ kind: 'row', row });
process.disconnect();

function send(message: CaseMessage): void {
  process.send!(message);
}
