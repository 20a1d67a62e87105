// A process of its own that writes a journal, for tests that kill it or contend with it.
// argv: directory, id, what to do: `hold` the lock, or `write` for as long as it lives.
// stdout: `open`, then one line per acknowledged event: its seq, the level, and its text. Or the code of an error.
import { createJournalWriter, openJournalWriter } from '../../lib/journal/writing/writer.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { placeIn, realPorts } from './journal-on-disk.ts';

const [directory = '', id = '', what = 'hold'] = process.argv.slice(2);
const place = placeIn(directory, id);
const dependencies = realPorts('ollm repl');
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const writer = nodeFileSystem.stat(place.path)
    ? await openJournalWriter(dependencies, place)
    : await createJournalWriter(dependencies, { ...place, created: { model: 'm', provider: 'p', ollm: '0' } });
  say('open');
  if (what === 'write') {
    for (let count = 0; ; count += 1) {
      const level = count % 5 === 4 ? 'disk' : 'process';
      const events = Array.from({ length: 1 + (count % 3) }, (_, index) => ({
        type: 'message.added',
        data: { text: `${process.pid}-${count}-${index}`, filler: 'x'.repeat((count * 97) % 3000) },
      }));
      const receipts = await writer.append(events, { durability: level });
      for (const [index, { seq }] of receipts.entries()) say(`${seq} ${level} ${process.pid}-${count}-${index}`);
      // Acknowledgements must be able to leave the process.
      if (count % 8 === 7) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  process.stdin.resume();
  process.stdin.on('end', () => void writer.close());
} catch (error) {
  say(String((error as { code?: unknown }).code));
  say(String((error as Error).message));
}
