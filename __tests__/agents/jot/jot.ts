// Jot, a program that does not exist: the agent that docs/agents.md adds step by step.
import { join } from 'node:path';
import type { Agent, JsonObject } from '../../../lib/agents/agent.ts';
import { Content } from '../../../lib/agents/content.ts';
import { sessionFilesIn } from '../../../lib/agents/finding.ts';
import { nonEmpty, shortened, textIn } from '../../../lib/agents/members.ts';
import { addAnswer, addCall, addPrompt, addResult } from '../../../lib/agents/said.ts';
import { newSession, type SessionGiven, type SessionMemory } from '../../../lib/agents/session-state.ts';
import { endTurn } from '../../../lib/agents/turns.ts';

export const jot: Agent<SessionMemory> = {
  name: 'jot',
  title: 'Jot',
  version: 1,
  places: ({ env, home }) => [env.JOT_HOME || join(home, '.jot', 'talks')],
  discover: (place, looking) => sessionFilesIn(place, /^(.+)\.jsonl$/, looking),
  stored: () => ({ kind: 'lines' }),
  initial: newSession,
  translate(record, given) {
    read(record, given);
    return { record: nonEmpty(record.id), at: textIn(record.time) };
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

function read(record: JsonObject, given: SessionGiven): void {
  const callId = record.id;
  switch (record.kind) {
    case 'say':
      if (record.who === 'me') addPrompt(new Content(textIn(record.text)), given);
      else readAnswer(record, given);
      break;
    case 'run':
      addCall({ callId, name: record.tool, args: record.input }, given);
      break;
    case 'ran': {
      const status = record.ok === false ? 'error' : 'ok';
      addResult({ callId, status, text: textIn(record.output) }, given);
      break;
    }
    case 'bye':
      endTurn(given, 'completed');
      break;
  }
}

function readAnswer({ text, model }: JsonObject, given: SessionGiven): void {
  given.state.steps += 1;
  addAnswer({ content: new Content(textIn(text)), model: nonEmpty(model) }, given);
}
