// A program that speaks as Claude Code does over its standard streams, and does one thing that it should not:
// node strange-claude.ts FAULT
import { createInterface } from 'node:readline';

const fault = process.argv[2] ?? 'none';
const send = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const delta = (text: string) =>
  send({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } } });
const ask = (id: string) =>
  send({
    type: 'control_request',
    request_id: `q-${id}`,
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: `echo ${id}` }, tool_use_id: id },
  });
const end = (more: object = {}) => send({ type: 'result', subtype: 'success', is_error: false, result: '', ...more });
const MODELS = [
  { value: 'default', displayName: 'Default', supportedEffortLevels: ['low', 'high'] },
  { value: 'small', displayName: 'Small' },
];

const answers: string[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const {
    type,
    request_id: id,
    request,
    response,
  } = JSON.parse(line) as {
    readonly type: string;
    readonly request_id: string;
    readonly request: { readonly subtype: string; readonly mode?: string; readonly model?: string };
    readonly response: { readonly request_id: string; readonly response?: object };
  };
  const answer = (more: object) => send({ type: 'control_response', response: { request_id: id, ...more } });
  const { subtype, mode, model } = request ?? {};
  if (type === 'control_response') {
    answers.push(JSON.stringify(response.response));
    if (answers.length < 2 && fault === 'asks-twice') continue;
    delta(answers.join(' '));
    end();
  } else if (subtype === 'initialize') answer({ subtype: 'success', response: { models: MODELS } });
  else if (subtype === 'set_permission_mode' && mode !== 'default') answer({ subtype: 'error', error: 'no such mode' });
  else if (subtype === 'set_model' && model === 'none') answer({ subtype: 'error', error: 'no such model' });
  else if (subtype === 'interrupt') {
    answer({ subtype: 'success' });
    end({ subtype: 'error_during_execution', is_error: true });
  } else if (type === 'control_request') answer({ subtype: 'success' });
  else {
    // The end of work of its own, before it takes up the prompt.
    end({ is_error: true, result: 'of another turn' });
    send({ type: 'user', isReplay: true, message: { role: 'user', content: [] } });
    if (fault === 'dies-in-the-middle') {
      delta('half of ');
      setTimeout(() => process.exit(9), 50);
    } else if (fault === 'writes-a-long-line') process.stdout.write('x'.repeat(33 * 2 ** 20));
    else if (fault === 'fails') end({ is_error: true, result: 'API Error: 400' });
    else if (fault === 'asks-twice') ['a', 'b'].map(ask);
    else if (fault === 'asks') ask('a');
    else if (fault === 'asks-for-more') send({ type: 'control_request', request_id: 'x', request: { subtype: 'new' } });
    else if (fault === 'waits') delta('going on');
    else {
      console.log('a line of its own');
      console.error('another one');
      delta('grün');
      end();
    }
  }
}
