// The Agent Client Protocol over the pipes of a program: one JSON message a line. A line that is too long breaks the
// connection; one that is not a message is reported as text. Reads as fast as the messages are taken.
import type { Stream } from '@agentclientprotocol/sdk';
import type { LastingProcess } from '../../platform/processes/lasting-process.ts';
import { linesOf } from '../lines.ts';

type Message = Stream extends { readonly readable: ReadableStream<infer Each> } ? Each : never;

interface StreamEvents {
  readonly onText: (stream: 'stdout' | 'stderr', line: string) => void;
  /** A line had more bytes than it may have. */
  readonly onOverflow: () => void;
}

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
  for await (const line of linesOf(output, events.onOverflow)) {
    const message = parsed(line);
    if (message !== undefined) yield message;
    else if (line.trim() !== '') events.onText('stdout', line);
  }
}

async function texts(errors: LastingProcess['errors'], events: StreamEvents): Promise<void> {
  for await (const line of linesOf(errors, () => undefined)) {
    if (line.trim() !== '') events.onText('stderr', line);
  }
}

function parsed(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
