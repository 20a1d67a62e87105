// Jot, a program that does not exist: the agent that docs/agents.md adds step by step.
import { join } from 'node:path';
import type { Agent, AgentEvent, JsonObject } from '../../../lib/agents/agent.ts';
import { argumentsIn, nonEmpty, saysSomething, shortened, textIn } from '../../../lib/agents/members.ts';

interface JotState {
  turn: number;
  isOpen: boolean;
}

export const jot: Agent<JotState> = {
  name: 'jot',
  title: 'Jot',
  version: 1,
  places: ({ env, home }) => [env.JOT_HOME || join(home, '.jot', 'talks')],
  *discover(place, looking) {
    for (const { name, kind } of looking.entries(place)) {
      if (kind !== 'file' || !name.endsWith('.jsonl')) continue;
      const source = { agent: 'jot', id: name.slice(0, -'.jsonl'.length), path: join(place, name) };
      yield { kind: 'source', source };
    }
  },
  stored: () => ({ kind: 'lines' }),
  initial: () => ({ turn: 0, isOpen: false }),
  translate(record, state) {
    const events = eventsOf(record, state);
    return { record: nonEmpty(record.id), at: textIn(record.time), turn: state.turn || undefined, events };
  },
  begin: ({ dir, model }) => ({ cwd: nonEmpty(dir), model: nonEmpty(model), provider: 'jot' }),
  typeOf: ({ kind }) => textIn(kind) ?? '',
  said: {
    say: ['kind', 'id', 'time', 'who', 'text', 'dir', 'model'],
    run: ['kind', 'id', 'time', 'tool', 'input'],
    ran: ['kind', 'id', 'time', 'output', 'ok'],
    bye: ['kind', 'time'],
  },
  leftOut: { 'it is how Jot feels, and nothing that was said': ['mood'] },
  headFromStart(record, head) {
    head.startedAt ??= nonEmpty(record.time);
    head.cwd ??= nonEmpty(record.dir);
    if (record.kind === 'say' && record.who === 'me') head.firstPrompt ??= shortened(textIn(record.text) ?? '', 500);
    return head.firstPrompt !== undefined;
  },
  headFromEnd(record, head) {
    head.lastActivity ??= nonEmpty(record.time);
    head.model ??= nonEmpty(record.model);
    return head.lastActivity !== undefined && head.model !== undefined;
  },
};

function eventsOf(record: JsonObject, state: JotState): AgentEvent[] {
  const callId = nonEmpty(record.id);
  switch (record.kind) {
    case 'say':
      return record.who === 'me' ? said(textIn(record.text), state) : answered(record);
    case 'run': {
      const name = nonEmpty(record.tool);
      if (callId === undefined || name === undefined) return [];
      return [{ type: 'tool.requested', data: { callId, name, args: argumentsIn(record.input) } }];
    }
    case 'ran': {
      if (callId === undefined) return [];
      const result = { llmContent: textIn(record.output) ?? '' };
      const status = record.ok === false ? 'error' : 'ok';
      return [{ type: 'tool.finished', data: { callId, status, result, trusted: false } }];
    }
    case 'bye':
      return ended(state, 'completed');
    default:
      return [];
  }
}

function said(text: string | undefined, state: JotState): AgentEvent[] {
  if (!saysSomething(text)) return [];
  // The turn before was left: its end belongs to it, although a later record shows it.
  const before = ended(state, 'interrupted');
  state.turn += 1;
  state.isOpen = true;
  const parts = [{ type: 'text' as const, text }];
  return [
    ...before,
    { type: 'turn.started', data: { input: text } },
    { type: 'message.added', data: { role: 'user', parts, trusted: false } },
  ];
}

function answered({ text, model }: JsonObject): AgentEvent[] {
  const answer = textIn(text);
  if (!saysSomething(answer)) return [];
  const by = nonEmpty(model);
  const parts = [{ type: 'text' as const, text: answer }];
  return [
    {
      type: 'message.added',
      data: { role: 'assistant', parts, trusted: false, ...(by === undefined ? {} : { model: by }) },
    },
  ];
}

function ended(state: JotState, status: 'completed' | 'interrupted'): AgentEvent[] {
  if (!state.isOpen) return [];
  state.isOpen = false;
  return [{ type: 'turn.ended', turn: state.turn, data: { status, steps: 1 } }];
}
