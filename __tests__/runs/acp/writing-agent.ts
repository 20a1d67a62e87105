// A program that speaks the Agent Client Protocol in the place of Qwen Code, and writes its sessions as that does:
// node writing-agent.ts. A prompt with "make" asks before it makes a file, one with "count" goes on until it is
// cancelled, one with "think" has thoughts and a list of tasks, one with "die" ends the program, "/clear" begins a new
// session file, and each other prompt is repeated.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly result?: { readonly outcome?: { readonly optionId?: string } };
  readonly params?: {
    readonly sessionId?: string;
    readonly cwd?: string;
    readonly prompt?: readonly { readonly text?: string; readonly mimeType?: string; readonly data?: string }[];
  };
}

const chats = join(process.env.HOME ?? '', '.qwen', 'projects', '-work', 'chats');
mkdirSync(chats, { recursive: true });
let session = { id: '', cwd: '', last: null as string | null };
/** The id of its file: that of the session, until it is cleared. */
let file = '';
let prompt: { readonly id: number; readonly callId: string } | undefined;

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (told: object) => send({ method: 'session/update', params: { sessionId: session.id, update: told } });
const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** A line of the session's file. */
function write(type: string, provenance: string, members: object): void {
  const uuid = randomUUID();
  const record = { uuid, parentUuid: session.last, sessionId: file, timestamp: new Date().toISOString() };
  const line = { ...record, type, provenance, cwd: session.cwd, version: '7.0.0', ...members };
  appendFileSync(join(chats, `${file}.jsonl`), `${JSON.stringify(line)}\n`);
  session = { ...session, last: uuid };
}

function answer(text: string): void {
  say(text);
  write('assistant', 'assistant_output', { model: 'qwen-7', message: { role: 'model', parts: [{ text }] } });
  end('end_turn');
}

function end(stopReason: string): void {
  send({ id: prompt?.id, result: { stopReason } });
  prompt = undefined;
}

function begin(id: number, blocks: NonNullable<NonNullable<Message['params']>['prompt']>): void {
  const callId = randomUUID();
  prompt = { id, callId };
  const text = blocks.map((block) => block.text ?? '').join('');
  if (text === '/clear') {
    file = randomUUID();
    session = { ...session, last: null };
    write('system', 'system', { subtype: 'slash_command' });
    end('end_turn');
    return;
  }
  const images = blocks.flatMap(({ mimeType, data }) =>
    data === undefined ? [] : [{ inlineData: { mimeType, data } }],
  );
  write('user', 'real_user', { message: { role: 'user', parts: [...images, { text }] } });
  if (text.includes('die')) process.exit(9);
  else if (text.includes('think')) think(callId);
  else if (text.includes('count')) say('One, two, ');
  else if (text.includes('make')) {
    const args = { command: 'echo > made.txt' };
    const parts = [{ functionCall: { id: callId, name: 'run_shell_command', args } }];
    write('assistant', 'assistant_output', { model: 'qwen-7', message: { role: 'model', parts } });
    const toolCall = { toolCallId: callId, title: args.command, kind: 'execute', rawInput: args };
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    send({ id: callId, method: 'session/request_permission', params: { sessionId: session.id, toolCall, options } });
  } else answer(`You said: ${text}`);
}

function think(callId: string): void {
  const thought = 'It is a list.';
  update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: thought } });
  const args = { todos: [{ id: '1', content: 'Read', status: 'pending' }] };
  const parts = [{ text: thought, thought: true }, { functionCall: { id: callId, name: 'todo_write', args } }];
  write('assistant', 'assistant_output', { model: 'qwen-7', message: { role: 'model', parts } });
  write('tool_result', 'tool_result', {
    message: {
      role: 'user',
      parts: [{ functionResponse: { id: callId, name: 'todo_write', response: { output: 'ok' } } }],
    },
    toolCallResult: { callId, status: 'success' },
  });
  answer('It is thought.');
}

function decided(isAllowed: boolean): void {
  const { callId } = prompt!;
  if (isAllowed) writeFileSync(join(session.cwd, 'made.txt'), '\n');
  const response = isAllowed ? { output: 'made' } : { error: 'declined' };
  const parts = [{ functionResponse: { id: callId, name: 'run_shell_command', response } }];
  write('tool_result', 'tool_result', {
    message: { role: 'user', parts },
    toolCallResult: { callId, status: isAllowed ? 'success' : 'error' },
  });
  answer(isAllowed ? 'It is made.' : 'Nothing was made.');
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, result, params = {} } = JSON.parse(line) as Message;
  if (method === undefined) decided(result?.outcome?.optionId === 'yes');
  else if (method === 'initialize') {
    const agentCapabilities = { loadSession: true, promptCapabilities: { image: true } };
    send({ id, result: { protocolVersion: 1, agentInfo: { name: 'qwen', version: '7.0.0' }, agentCapabilities } });
  } else if (method === 'session/new' || method === 'session/load') {
    session = { id: params.sessionId ?? randomUUID(), cwd: params.cwd ?? '', last: null };
    file = session.id;
    if (method === 'session/load' && !existsSync(join(chats, `${session.id}.jsonl`))) {
      send({ id, error: { code: -32602, message: 'There is no such session' } });
      continue;
    }
    const availableModes = ['default', 'plan'].map((mode) => ({ id: mode, name: mode }));
    send({ id, result: { sessionId: session.id, modes: { currentModeId: 'default', availableModes } } });
  } else if (method === 'session/prompt') begin(id, params.prompt ?? []);
  else if (method === 'session/cancel') {
    if (prompt !== undefined) end('cancelled');
  } else if (id !== undefined) send({ id, result: {} });
}
