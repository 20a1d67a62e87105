// A workload in a process of its own. The file is both sides: what starts the process, and its program.
import { type ChildProcess, fork } from 'node:child_process';
import type { NatsPlace } from '../../../lib/nats/connection.ts';
import { natsStore } from '../../support/nats-store.ts';
import type { Operation } from './history.ts';
import { startWorkload, type Workload } from './workload.ts';

interface Task {
  readonly place: NatsPlace;
  readonly id: string;
  readonly writer: string;
}

type Report = { readonly operation: Operation } | { readonly reopened: number };

const RUN = 'write';

export function startWriterProcess(place: NatsPlace, id: string, writer: string): Workload {
  const operations: Operation[] = [];
  let reopened = 0;
  const child: ChildProcess = fork(import.meta.filename, [RUN], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  child.on('message', (report: Report) => {
    if ('operation' in report) operations.push(report.operation);
    else reopened = report.reopened;
  });
  child.send({ place, id, writer } satisfies Task);
  return {
    operations,
    get reopened() {
      return reopened;
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.send('stop');
      const code = await ended;
      if (code !== 0) throw new Error(`The writer ${writer} ended with ${code}.`);
    },
  };
}

function write({ place, id, writer }: Task): void {
  const store = natsStore(place);
  const tell = (report: Report) => new Promise<void>((resolve) => void process.send!(report, () => resolve()));
  const workload = startWorkload(store, id, { writer, onEnd: (operation) => void tell({ operation }) });
  // This holds also where the tests end before they stop it.
  process.once('disconnect', () => process.exit());
  process.once('message', async () => {
    await workload.stop();
    await store.disconnect();
    await tell({ reopened: workload.reopened });
    process.disconnect();
  });
}

if (process.argv[2] === RUN) process.once('message', write);
