// The Agent Client Protocol over the pipes of a program: one JSON message a line. A line that is too long breaks the
// connection; one that is not a message is reported as text. Reads as fast as the messages are taken.
import type { Stream } from '@agentclientprotocol/sdk';
import type { LastingProcess } from '../../platform/processes/lasting-process.ts';

type Message = Stream extends { readonly readable: ReadableStream<infer Each> } ? Each : never;

interface StreamEvents {
  readonly onText: (stream: 'stdout' | 'stderr', line: string) => void;
  /** A line had more bytes than it may have. */
  readonly onOverflow: () => void;
}

const MAX_LINE_BYTES = 32 * 2 ** 20;
const LINE_FEED = 0x0a;

export function agentStream({ input, output, errors }: LastingProcess, events: StreamEvents): Stream {
  void texts(errors, events);
  return {
    readable: ReadableStream.from(messages(output, events)) as Stream['readable'],
    writable: new WritableStream({
      write: (message) =>
        new Promise<void>((resolve, reject) => {
          if (!input.writable) return void reject(new Error('The agent has ended.'));
          input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
        }),
    }) as Stream['writable'],
  };
}

async function* messages(output: LastingProcess['output'], events: StreamEvents): AsyncGenerator<Message, void, void> {
  for await (const line of lines(output, events)) {
    const message = parsed(line);
    if (message !== undefined) yield message;
    else if (line.trim() !== '') events.onText('stdout', line);
  }
}

async function texts(errors: LastingProcess['errors'], events: StreamEvents): Promise<void> {
  for await (const line of lines(errors, { ...events, onOverflow: () => undefined })) {
    if (line.trim() !== '') events.onText('stderr', line);
  }
}

/** Ends with the stream, also where that breaks. */
async function* lines(
  stream: LastingProcess['output'],
  { onOverflow }: Pick<StreamEvents, 'onOverflow'>,
): AsyncGenerator<string, void, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, at)]).toString();
        pieces = [];
        bytes = 0;
        from = at + 1;
      }
      pieces.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_LINE_BYTES) {
        onOverflow();
        return;
      }
    }
  } catch {
    // The pipe was closed.
  }
  if (bytes > 0) yield Buffer.concat(pieces).toString();
}

function parsed(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
