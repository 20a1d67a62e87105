// An Ollama on 127.0.0.1 that answers one request after the other as it is told: with a text, with calls of tools, with
// a pause. It keeps the requests that it got.
import { type Answer, type FaultServer, type Step, startFaultServer } from '../support/fault-server.ts';

export interface ModelCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type ModelReply =
  /**
   * `after`: the event that the first part of the answer waits for; `until`: the event that the rest of the text waits
   * for.
   */
  | {
      readonly text: string;
      readonly thinking?: string;
      readonly ends?: boolean;
      readonly after?: Promise<unknown>;
      readonly until?: Promise<unknown>;
      readonly rest?: string;
    }
  | { readonly calls: readonly ModelCall[] }
  | { readonly status: number; readonly headers?: Answer['headers'] };

const line = (value: object) => `${JSON.stringify(value)}\n`;
const json = (value: object): Answer => ({ type: 'application/json', steps: [JSON.stringify(value)] });
const END = line({
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 100,
  eval_count: 50,
});

/** The last reply is given forever. */
export async function startToolModel(...replies: readonly ModelReply[]): Promise<FaultServer> {
  return startFaultServer({
    '/api/tags': json({
      models: [
        { name: 'tooled:latest', size: 1 },
        { name: 'other:latest', size: 1 },
      ],
    }),
    '/api/show': json({
      model_info: { 'general.architecture': 'x', 'x.context_length': 32_768 },
      capabilities: ['completion', 'tools', 'vision', 'thinking'],
    }),
    '/api/chat': replies.map(answerOf),
  });
}

function answerOf(reply: ModelReply): Answer {
  if ('status' in reply) {
    const { status, headers = {} } = reply;
    return { status, headers, ...json({ error: 'too many requests' }) };
  }
  return { steps: stepsOf(reply) };
}

function stepsOf(reply: Exclude<ModelReply, { status: number }>): Step[] {
  if ('calls' in reply) {
    const tool_calls = reply.calls.map(({ name, args }) => ({ function: { name, arguments: args } }));
    return [line({ message: { role: 'assistant', content: '', tool_calls }, done: false }), END];
  }
  const { text, thinking, ends = true, after, until, rest = '' } = reply;
  return [
    ...(after === undefined ? [] : [{ until: after }]),
    ...(thinking === undefined ? [] : [line({ message: { role: 'assistant', content: '', thinking }, done: false })]),
    line({ message: { role: 'assistant', content: text }, done: false }),
    ...(until === undefined ? [] : [{ until }, line({ message: { role: 'assistant', content: rest }, done: false })]),
    ends ? END : { fault: 'stall' },
  ];
}
