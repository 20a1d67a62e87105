// A program that speaks the Agent Client Protocol, and does one thing that it should not: node strange-agent.ts FAULT
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const fault = process.argv[2] ?? 'none';
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (text: string) =>
  send({
    method: 'session/update',
    params: { sessionId: 's-1', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });
const ask = (id: string, command = `echo ${id}`) =>
  send({
    id,
    method: 'session/request_permission',
    params: {
      sessionId: 's-1',
      toolCall: { toolCallId: id, title: `call ${id}`, kind: 'execute', rawInput: { command } },
      options: [
        { optionId: 'for-ever', name: 'Always', kind: 'allow_always' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  });

/** Says a key in each kind of message that it has. */
const leak = (id: number) => {
  const key = process.env.STRANGE_KEY ?? '';
  const update = (more: object) => send({ method: 'session/update', params: { sessionId: 's-1', update: more } });
  const content = { type: 'text', text: `It is ${key}.` };
  console.log(`printed ${key}`);
  console.error(`warned of ${key}`);
  update({ sessionUpdate: 'agent_thought_chunk', content });
  update({ sessionUpdate: 'agent_message_chunk', content });
  update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: `curl ${key}`, rawInput: { key } });
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'failed',
    content: [{ type: 'content', content }],
  });
  ask('a', `curl -H 'Authorization: ${key}' x`);
  setTimeout(() => send({ id, error: { code: -32603, message: `no answer for ${key}` } }), 500);
};

if (fault === 'dies-at-once') {
  console.error('no such model');
  process.exit(3);
}
if (fault.includes('leaves-a-child')) spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
interface Params {
  readonly configId: string;
  readonly value: string;
  readonly prompt?: readonly { readonly text: string }[];
}
const chosen: Record<string, string> = { mode: 'auto', model: 'm-1', effort: 'low' };
const choices = () => {
  const option = (id: string, category: string, values: readonly string[]) => ({
    ...{ id, category, name: id, type: 'select', currentValue: chosen[id] },
    options: values.map((value) => ({ value, name: value })),
  });
  return [
    option('mode', 'mode', ['auto', 'default', 'plan']),
    option('model', 'model', ['m-1', 'm-2']),
    option('effort', 'thought_level', ['low', 'high']),
  ];
};
/** Does all that a prompt names, and says for each whether it could: { write: [paths], read: [paths] } */
const tries = (text: string) => {
  const { write, read } = JSON.parse(text) as Record<'write' | 'read', readonly string[]>;
  const outcome = (action: () => unknown) => {
    try {
      return action() === undefined ? 'done' : 'read';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  return {
    write: write.map((path) => outcome(() => writeFileSync(path, 'written by the agent'))),
    read: read.map((path) =>
      outcome(() => (path.endsWith('/') ? readdirSync(path).join() : readFileSync(path, 'utf8'))),
    ),
    processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  };
};
const answers: string[] = [];
let prompt: number | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as { id: number; method?: string; result?: object; params?: Params };
  const { id, method, result } = message;
  const params = message.params ?? { configId: '', value: '' };
  if (method === undefined) {
    if (fault === 'leaks') continue;
    if (fault === 'says-nonsense') continue;
    answers.push(JSON.stringify(result));
    if (answers.length < 2 && fault === 'asks-twice') continue;
    say(answers.join(' '));
    send({ id: prompt, result: { stopReason: 'end_turn' } });
  } else if (method === 'initialize') {
    if (fault === 'says-nothing') continue;
    send({ id, result: { protocolVersion: 1, agentInfo: { name: 'strange', version: '7' }, agentCapabilities: {} } });
  } else if (method === 'session/new' || method === 'session/load') {
    if (fault === 'wants-a-sign-in') send({ id, error: { code: -32000, message: 'Authentication required' } });
    else {
      const ids = fault === 'has-one-mode' ? ['auto'] : ['auto', 'default'];
      // It offers choices, and keeps them.
      if (fault.includes('choices')) {
        send({ id, result: { sessionId: 's-1', configOptions: choices() } });
        continue;
      }
      const modes = { currentModeId: 'auto', availableModes: ids.map((mode) => ({ id: mode, name: mode })) };
      send({ id, result: { sessionId: 's-1', modes } });
    }
  } else if (method === 'session/set_config_option') {
    const { configId, value } = params;
    if (configId === 'model' && value === 'none') {
      send({ id, error: { code: -32602, message: 'Invalid params', data: { details: 'no model none' } } });
      continue;
    }
    chosen[configId] = value;
    send({ id, result: { configOptions: choices() } });
  } else if (method === 'session/prompt') {
    prompt = id;
    if (fault.includes('tries-all')) say(JSON.stringify(tries(message.params!.prompt!.at(-1)!.text)));
    if (fault.endsWith('-and-stays')) continue;
    if (fault === 'dies-in-the-middle') {
      say('half of ');
      setTimeout(() => process.exit(9), 50);
    } else if (fault === 'ends-well-without-an-answer') {
      say('half of ');
      process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(0));
    } else if (fault === 'answers-nonsense') send({ id, result: ['end_turn'] });
    else if (fault === 'says-nonsense') {
      const update = (told: unknown) => send({ method: 'session/update', params: { sessionId: 's-1', update: told } });
      for (const each of [7, {}, { sessionUpdate: 7 }, { sessionUpdate: 'agent_message_chunk' }]) update(each);
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } });
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed', content: 7 });
      send({ method: 'session/update' });
      send({ id: 99, result: {} });
      send({});
      send({ id: 'q', method: 'session/request_permission', params: {} });
      say('word ');
      send({ id, result: { stopReason: 'end_turn' } });
    } else if (fault === 'writes-a-long-line') process.stdout.write('x'.repeat(33 * 2 ** 20));
    else if (fault === 'asks-twice') ['a', 'b'].map((each) => ask(each));
    else if (fault.startsWith('asks-and')) ask('a');
    else if (fault === 'asks') ask('a');
    else if (fault === 'asks-for-danger') ask('a', 'rm -rf /');
    else if (fault === 'leaks') leak(id);
    else if (fault === 'prints-much') {
      for (let line = 0; line < 5_000; line += 1)
        console.error(`line ${line} with ghp_0123456789abcdefghijABCDEFGHIJ012345`);
      console.error('the last line');
      setTimeout(() => send({ id, result: { stopReason: 'end_turn' } }), 300);
    } else if (fault === 'ignores-a-cancel' || fault.endsWith('-and-waits')) say('going on');
    else if (fault.startsWith('fails'))
      send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'HTTP 400' } } });
    else if (fault === 'splits-bytes') {
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'grün' } };
      const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's-1', update } };
      const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
      for (const byte of bytes) {
        process.stdout.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      send({ id, result: { stopReason: 'end_turn' } });
    } else {
      console.log('a line of its own');
      console.error('another one');
      for (let count = 0; count < (fault === 'floods' ? 20_000 : 1); count += 1) say('word ');
      send({ id, result: { stopReason: 'end_turn' } });
    }
  } else if (method === 'session/cancel' && fault !== 'ignores-a-cancel') {
    send({ id: prompt, result: { stopReason: 'cancelled' } });
  } else if (id !== undefined && method !== 'session/cancel') send({ id, result: {} });
}
