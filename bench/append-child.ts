// Appends in rounds and ends, for whoever counts what that asks of the system (system-calls.ts).
import type { DurabilityLevel, NewEvent } from '../lib/journal/types.ts';
import { newJournal } from './sessions.ts';

export interface AppendOrder {
  readonly directory: string;
  readonly rounds: number;
  /** How many callers append at once in each round. */
  readonly callers: number;
  readonly durability: DurabilityLevel;
}

const { directory, rounds, callers, durability } = JSON.parse(process.argv[2]!) as AppendOrder;
const event: NewEvent = { type: 'message.added', data: { text: 'x'.repeat(1000) } };

const writer = await newJournal(directory);
for (let round = 0; round < rounds; round++) {
  await Promise.all(Array.from({ length: callers }, () => writer.append(event, { durability })));
}
await writer.close();
