// Plays a recording to its end: node played-agent.ts AGENT FIRST-OR-SECOND FAULT. Each message of the program comes
// after those of ollm before it. Ends with 3 at another message of ollm. FAULT: none, garbage, floods, splits or dies.
import { createInterface } from 'node:readline';
import { type Passed, PROJECT, type RpcMessage, recordingOf } from './recording.ts';

const [agent = '', part = '', fault = 'none'] = process.argv.slice(2);
const here = process.cwd();
const recording = recordingOf(agent)[part === 'second' ? 1 : 0];
const told = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
/** The ids of ollm's requests, by those in the recording. */
const ids = new Map<unknown, unknown>();
let words = 0;

for (const passed of recording) {
  if (passed.to === 'agent') await hear(passed);
  else await say(passed);
}
await told.next();

async function hear({ message }: Passed): Promise<void> {
  const line = await told.next();
  if (line.done) process.exit(0);
  const { id, ...now } = JSON.parse(line.value.replaceAll(here, PROJECT)) as RpcMessage;
  const { id: then, ...wanted } = message;
  if (now.method !== undefined && id !== undefined) ids.set(then, id);
  const isSame = now.method === 'initialize' || canonical(now) === canonical(wanted);
  if (isSame && (now.method !== undefined || id === then)) return;
  console.error(`Told ${canonical({ id, ...now })} and not ${canonical({ id: then, ...wanted })}`);
  process.exit(3);
}

async function say({ message }: Passed): Promise<void> {
  const isAnswer = message.method === undefined;
  const line = JSON.stringify(isAnswer ? { ...message, id: ids.get(message.id) } : message).replaceAll(PROJECT, here);
  const isWord = line.includes('agent_message_chunk');
  if (fault === 'garbage') await write('{"jsonrpc":"2.0", no JSON\nWarning: it prints this\n[]\n');
  if (isWord) words += 1;
  if (isWord && words === 1 && fault === 'dies') {
    await write(`${line}\n${line.slice(0, line.length / 2)}`);
    process.exit(9);
  }
  const times = isWord && words === 1 && fault === 'floods' ? 5_000 : 1;
  if (fault === 'splits') for (const byte of Buffer.from(`${line}\n`)) await write(Buffer.from([byte]));
  else await write(`${line}\n`.repeat(times));
}

function write(text: string | Buffer): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
