// The Agent Client Protocol over the pipes of a program: one JSON message a line. A line that is too long breaks the
// connection; one that is not a message, or answers no request, is reported as text: the library would print it on our
// terminal. Reads as fast as the messages are taken.
import type { Stream } from '@agentclientprotocol/sdk';
import { isObject, parseObject } from '../../platform/json.ts';
import type { LastingProcess } from '../../platform/processes/lasting-process.ts';
import { linesOf } from '../lines.ts';

type Message = Stream extends { readonly readable: ReadableStream<infer Each> } ? Each : never;
type Members = Readonly<Record<string, unknown>>;

interface StreamEvents {
  readonly onText: (line: string) => void;
  /** A line had more bytes than it may have. */
  readonly onOverflow: () => void;
  /** The parameters of a notification with that method, in the order of the messages. False: they have no sense. */
  readonly onNotification: Readonly<Record<string, (params: Members) => boolean>>;
}

export function agentStream({ input, output }: Pick<LastingProcess, 'input' | 'output'>, events: StreamEvents): Stream {
  /** The ids of requests that are not answered yet. */
  const open = new Set<unknown>();
  return {
    readable: ReadableStream.from(messages(output, open, events)) as Stream['readable'],
    writable: new WritableStream({
      write: (message: Message) =>
        new Promise<void>((resolve, reject) => {
          if (!input.writable) return void reject(new Error('The agent has ended.'));
          if ('method' in message && 'id' in message) open.add(message.id);
          input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
        }),
    }) as Stream['writable'],
  };
}

async function* messages(
  output: LastingProcess['output'],
  open: Set<unknown>,
  { onText, onOverflow, onNotification }: StreamEvents,
): AsyncGenerator<Message, void, void> {
  for await (const line of linesOf(output, onOverflow)) {
    const message = parsed(line);
    if (message === undefined) {
      if (line.trim() !== '') onText(line);
    } else if ('id' in message) {
      if ('method' in message || open.delete(message.id)) yield message as unknown as Message;
      else onText(line);
    } else {
      const take = onNotification[String(message.method)];
      if (take !== undefined && !(isObject(message.params) && take(message.params))) onText(line);
    }
  }
}

/** Undefined for a line that is neither a request nor an answer. */
function parsed(line: string): Members | undefined {
  const value = parseObject(line);
  return value?.jsonrpc === '2.0' && ('id' in value || typeof value.method === 'string') ? value : undefined;
}
