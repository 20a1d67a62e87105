// Appends in rounds and ends, for a test that counts what that asks of the system.
import { newJournal } from './generated-journals.ts';

const { directory, rounds, callers, durability } = JSON.parse(process.argv[2]!) as {
  readonly directory: string;
  readonly rounds: number;
  /** That append at the same time. */
  readonly callers: number;
  readonly durability: 'process' | 'disk';
};
const event = { type: 'message.added', data: { text: 'x'.repeat(1000) } };

const writer = await newJournal(directory);
for (let round = 0; round < rounds; round++) {
  await Promise.all(Array.from({ length: callers }, () => writer.append(event, { durability })));
}
await writer.close();
