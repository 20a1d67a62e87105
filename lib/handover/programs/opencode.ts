// A session of opencode, as it exports one: a document that its own command takes in. An answer ends with a step; its
// ids say the order.
import { hash } from 'node:crypto';
import { stepsOf } from '../answer-steps.ts';
import type { Target, WrittenCall, WrittenPiece, WrittenSession } from '../target.ts';

export const opencode: Target = {
  name: 'opencode',
  hasPictures: false,
  tellsFailures: true,
  caution: 'The session names no model: choose one there, or add --model to "opencode run".',
  idOf: sessionId,
  folder: () => '',
  pathOf: ({ id }) => `${sessionId(id)}.json`,
  contentOf,
  command: (id) => ['opencode', '--session', id],
  takesIn: (path) => ['opencode', 'import', path],
};

const TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

function sessionId(uuid: string): string {
  return `ses_${hash('sha256', uuid, 'hex').slice(0, 26)}`;
}

function contentOf({ id: uuid, cwd, items, mark, startedAt, title }: WrittenSession): string {
  const id = sessionId(uuid);
  const messages: { info: object; parts: object[] }[] = [];
  let ids = 0;
  const next = (prefix: string) =>
    `${prefix}_${(ids++).toString(16).padStart(12, '0')}${uuid.replaceAll('-', '').slice(0, 14)}`;
  let parentID = '';
  const add = (role: 'user' | 'assistant', at: string, parts: readonly object[], finish = 'stop') => {
    const messageID = next('msg');
    const ms = Date.parse(at);
    const info =
      role === 'user'
        ? { role, time: { created: ms }, agent: 'build', model: { providerID: 'handover', modelID: 'handover' } }
        : {
            ...{ parentID, role, mode: 'build', agent: 'build', path: { cwd, root: cwd }, cost: 0, tokens: TOKENS },
            ...{ modelID: 'handover', providerID: 'handover', time: { created: ms, completed: ms }, finish },
          };
    if (role === 'user') parentID = messageID;
    const end = { reason: finish, type: 'step-finish', tokens: TOKENS, cost: 0 };
    const all = role === 'user' ? parts : [{ type: 'step-start' }, ...parts, end];
    const placed = all.map((part) => ({ ...part, id: next('prt'), sessionID: id, messageID }));
    messages.push({ info: { ...info, id: messageID, sessionID: id }, parts: placed });
  };
  for (const step of stepsOf(items)) {
    if (step.kind === 'message') add(step.message.role, step.message.at, step.message.pieces.map(partOf));
    else {
      const { before, calls } = step;
      const texts = (before?.pieces ?? []).map(partOf);
      add('assistant', (before ?? calls[0]!).at, [...texts, ...calls.map(toolOf)], 'tool-calls');
    }
  }
  const created = Date.parse(startedAt);
  const updated = Date.parse(items.at(-1)?.at ?? startedAt);
  const info = {
    ...{ id, slug: 'handover', projectID: 'global', directory: cwd, path: '', title: title ?? 'Handed over' },
    ...{ version: '1.0.0', time: { created, updated }, metadata: { handover: mark } },
  };
  return `${JSON.stringify({ info, messages })}\n`;
}

function partOf(piece: WrittenPiece): object {
  return { type: 'text', text: piece.kind === 'text' ? piece.text : '' };
}

function toolOf({ id: callID, name: tool, args: input, result, isError, at }: WrittenCall): object {
  const time = { start: Date.parse(at), end: Date.parse(at) };
  const state = isError
    ? { status: 'error', input, error: result, time }
    : { status: 'completed', input, output: result, title: tool, metadata: {}, time };
  return { type: 'tool', callID, tool, state };
}
