// The messages of a session in the one form of every program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesOf } from '../../lib/host/reading/unified-messages.ts';

let seq = 0;
const event = (type: string, data: object) => ({
  seq: seq++,
  ts: '2026-11-21T08:00:00.000Z',
  type,
  data: data as Record<string, unknown>,
  position: undefined,
});
const said = (...events: ReturnType<typeof event>[]) =>
  messagesOf(events, { provider: 'claude', sessionId: 'claude:oak' }).map(
    ({ seq: _, timestamp: _at, provider: _provider, sessionId: _id, ...rest }) => rest,
  );
const message = (role: string, parts: readonly object[]) => event('message.added', { role, parts, trusted: true });
const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', mediaType: 'image/png', blob: 'a'.repeat(64) };

describe('the messages of a session', () => {
  it('name their program, their session, their time and their event', () => {
    const [first] = messagesOf([message('user', [text('hello')])], { provider: 'codex', sessionId: 'codex:oak' });
    expect(first).toMatchObject({ provider: 'codex', sessionId: 'codex:oak', timestamp: '2026-11-21T08:00:00.000Z' });
    expect(first?.seq).toEqual(expect.any(Number));
  });

  it('have the time of the event itself, even if it was stored later', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const [first] = messagesOf([event('message.added', { role: 'user', parts: [], trusted: true, at })], {
      provider: 'claude',
      sessionId: 'oak',
    });
    expect(first?.timestamp).toBe(at);
  });

  it("contain the user's texts, with images", () => {
    expect(said(message('user', [text('one'), text('two'), image]))).toEqual([
      { type: 'user_message', text: 'one\ntwo', images: [{ mediaType: 'image/png', hash: 'a'.repeat(64) }] },
    ]);
  });

  it('are marked if a program wrote them in the role of the user, and have no time if the source has none', () => {
    const data = {
      role: 'user',
      parts: [text('<environment_context>')],
      trusted: false,
      synthetic: true,
      origin: { position: 0, length: 1 },
    };
    const [message] = messagesOf([event('message.added', data)], { provider: 'codex', sessionId: 'oak' });
    expect(message).toMatchObject({ type: 'user_message', synthetic: true });
    expect(message?.timestamp).toBeUndefined();
  });

  it('contain the thoughts and the texts of the model, each separately', () => {
    const parts = [
      { type: 'reasoning', text: 'hm' },
      { type: 'reasoning', opaque: 'x', provider: 'p' },
      text('yes'),
      text(''),
    ];
    expect(said(message('assistant', parts))).toEqual([
      { type: 'thinking_message', text: 'hm' },
      { type: 'assistant_message', text: 'yes' },
    ]);
  });

  it('join the pieces of one prompt, and its later form names the message that it replaces', () => {
    const pieces = ['one', 'two'].map((value) =>
      event('message.added', { role: 'user', parts: [text(value)], trusted: true, message: 'm' }),
    );
    const replaced = event('message.replaced', { message: 'm', parts: [text('three')] });
    expect(said(...pieces, replaced)).toEqual([
      { type: 'user_message', text: 'one\ntwo' },
      { type: 'user_message', text: 'three', replaces: pieces[0]!.seq },
    ]);
    expect(said(replaced)).toEqual([]);
  });

  it('leave out instructions', () => {
    expect(said(message('system', [text('be brief')]))).toEqual([]);
  });

  it('contain calls of tools and their results', () => {
    const call = event('tool.requested', { callId: 'c', name: 'bash', args: { command: 'ls' } });
    const finished = (status: string) =>
      event('tool.finished', { callId: 'c', status, result: { llmContent: 'out' }, trusted: false });
    expect(said(call)).toEqual([
      { type: 'tool_use_request', toolName: 'bash', toolCallId: 'c', data: { command: 'ls' } },
    ]);
    expect(said(finished('ok'))).toMatchObject([{ type: 'tool_call_success', status: 'success', text: 'out' }]);
    for (const status of ['error', 'denied', 'timeout', 'cancelled', 'unknown']) {
      expect(said(finished(status))).toMatchObject([{ type: 'tool_call_error', status: 'error', toolCallId: 'c' }]);
    }
  });

  it.each(['TodoWrite', 'update_plan', 'TaskCreate', 'write_todos'])('contain lists of tasks: %s', (name) => {
    expect(said(event('tool.requested', { callId: 'c', name, args: { todos: [] } }))).toMatchObject([
      { type: 'todo_task_list', toolName: name, has_progress_indicator: true },
    ]);
  });

  it('have no progress if a plan has none', () => {
    const [plan] = said(event('tool.requested', { callId: 'c', name: 'CreatePlan', args: {} }));
    expect(plan).toMatchObject({ type: 'todo_task_list' });
    expect(plan).not.toHaveProperty('has_progress_indicator');
  });

  it('report the end of a turn that was cancelled or failed', () => {
    const ended = (status: string, error?: object) =>
      event('turn.ended', { status, steps: 1, ...(error && { error }) });
    expect(said(ended('completed'))).toEqual([]);
    expect(said(ended('cancelled'))).toEqual([{ type: 'session_interrupted', sessionStatus: 'SESSION_ABORTED' }]);
    expect(said(ended('failed', { code: 'PROVIDER_FAILED', message: 'broken' }))).toEqual([
      { type: 'assistant_error_message', text: 'broken' },
    ]);
  });

  it('skip unknown and damaged events', () => {
    expect(said(event('garden.watered', {}), event('message.added', { role: 7 }))).toEqual([]);
  });

  it('say once how a turn of an agent broke off, whether its run, its file or both stored it', () => {
    const moved = (from: string, to: string, more: object = {}) => event('run.status', { run: 'r', from, to, ...more });
    const error = { code: 'AGENT_FAILED', message: 'It was ended.' };
    const ended = event('turn.ended', { status: 'cancelled', steps: 1 });
    const interrupted = { type: 'session_interrupted', sessionStatus: 'SESSION_ABORTED' };
    const partial = event('run.partial', { run: 'r', promptId: 'p', kind: 'text', text: 'One, ' });
    expect(said(moved('starting', 'running'), partial, moved('running', 'stopped'))).toEqual([
      { type: 'assistant_message', text: 'One, ' },
      interrupted,
    ]);
    expect(said(moved('starting', 'running'), ended, moved('running', 'stopped'))).toEqual([interrupted]);
    // Some files have the end only with their next turn.
    const late = [moved('starting', 'running'), moved('running', 'stopped'), moved('stopped', 'running'), ended];
    expect(said(...late)).toEqual([interrupted]);
    expect(said(...late, moved('running', 'stopped'))).toEqual([interrupted, interrupted]);
    expect(said(moved('starting', 'running'), moved('running', 'failed', { error }))).toEqual([
      { type: 'assistant_error_message', text: 'It was ended.' },
    ]);
    expect(said(moved('running', 'failed', { reason: 'interrupted' }))).toEqual([interrupted]);
    expect(said(moved('starting', 'running'), moved('running', 'completed'))).toEqual([]);
  });
});

/** The first session of each program that is read, in the events that its reader makes of it. */
const CASES = join(import.meta.dirname, '../agents');
const FIRST = [
  ...['amp/one-turn', 'claude/one-turn', 'codex/one-turn', 'copilot/one-turn', 'cursor/transcript', 'gemini/document'],
  ...['kimi/turns', 'opencode/one-turn', 'pi/one-turn', 'qwen/one-turn', 'vibe/one-turn'],
];

it.each(FIRST)('the messages of a session have the same form for %s', (name) => {
  const [agent = '', scene = ''] = name.split('/');
  const lines = readFileSync(join(CASES, agent, 'cases', scene, 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const events = lines.map((line, at) => ({ position: undefined, ...JSON.parse(line), seq: at }));
  const messages = messagesOf(events, { provider: agent, sessionId: `${agent}:${scene}` });
  const types = messages.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['user_message', 'assistant_message']));
  const calls = new Map(messages.map((message) => [message.toolCallId, message]));
  for (const message of messages) {
    expect(message).toMatchObject({ provider: agent, sessionId: `${agent}:${scene}`, seq: expect.any(Number) });
    if (message.type === 'user_message' || message.type === 'assistant_message') {
      expect(message.text ?? message.images).toBeTruthy();
    }
    if (message.type.startsWith('tool_call_')) {
      expect(message.status).toBe(message.type === 'tool_call_success' ? 'success' : 'error');
      expect(calls.has(message.toolCallId)).toBe(true);
    }
  }
});
