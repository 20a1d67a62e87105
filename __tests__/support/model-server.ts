// A model server of its own process, on 127.0.0.1: node model-server.ts '[{"prompt":…,"answer":…}]' requests.jsonl
// It speaks the protocols of Anthropic, OpenAI (both) and Gemini, and answers as its turns say, by the last prompt of
// theirs that a request holds. Prints its URL first, then a line whenever a slow answer begins. Ends with its input.
import { appendFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import { withNamespace } from './namespaced-calls.ts';
import { type ScriptedTurn, USAGE } from './scripted-turn.ts';

const turns = JSON.parse(process.argv[2]!) as readonly ScriptedTurn[];
const { inputTokens, outputTokens } = USAGE;
/** By the names of each protocol. */
const usage = {
  ...{ prompt_tokens: inputTokens, completion_tokens: outputTokens },
  ...{ input_tokens: inputTokens, output_tokens: outputTokens },
  ...{ promptTokenCount: inputTokens, candidatesTokenCount: outputTokens },
};

type Request = Parameters<NonNullable<Parameters<LLMock['on']>[0]['predicate']>>[0];

const mock = new LLMock({ port: 0, host: '127.0.0.1' });
mock.on({ predicate: (request) => isSlow(request) }, (request) => announced(request), { latency: 200, chunkSize: 12 });
mock.on({ predicate: () => true }, (request) => answer(request));
const url = await mock.start();
const [apart] = turns.flatMap(({ call }) =>
  call?.namespace === undefined ? [] : [{ ...call, namespace: call.namespace }],
);
console.log(apart === undefined ? url : await withNamespace(url, apart));
process.stdin.resume().on('close', () => process.exit());

function isSlow(request: Request): boolean {
  return asked(request)?.turn.isSlow === true && offersTools(request);
}

function announced(request: Request) {
  console.log('slow');
  return answer(request);
}

function answer(request: Request) {
  appendFileSync(process.argv[3]!, `${JSON.stringify(request.messages)}\n`);
  const now = asked(request);
  // A request without tools is for a side task: a title, or facts worth remembering.
  if (now === undefined || !offersTools(request)) return { content: 'Port of the server', usage };
  const { turn, at } = now;
  if (turn.fails)
    return { status: 400, error: { message: 'The model is out of order.', type: 'invalid_request_error' } };
  const hasResult = request.messages.slice(at).some(({ role }) => role === 'tool');
  const { thinking: reasoning } = turn;
  if (turn.call === undefined || hasResult) return { content: turn.answer, usage, ...(reasoning && { reasoning }) };
  return { toolCalls: [{ name: turn.call.name, arguments: JSON.stringify(turn.call.args) }], usage };
}

/** The turn whose prompt comes last, and its place among the messages. */
function asked({ messages }: Request): { readonly turn: ScriptedTurn; readonly at: number } | undefined {
  for (const [at, { role, content }] of [...messages.entries()].reverse()) {
    const text = role === 'user' ? JSON.stringify(content) : '';
    // An interrupted prompt and the next one may be one message.
    const [last] = turns
      .map((turn) => ({ turn, place: text.lastIndexOf(turn.prompt) }))
      .sort((left, right) => right.place - left.place);
    if (last !== undefined && last.place >= 0) return { turn: last.turn, at };
  }
  return undefined;
}

function offersTools({ tools = [] }: Request): boolean {
  return tools.length > 0;
}
