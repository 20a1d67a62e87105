import { validateEvent } from '../../lib/events/validate.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { upgradeSession } from '../../lib/session/upgrade.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const OLD = {
  sessionId: '550e8400-e29b-41d4-a716-446655440000',
  startTime: '2024-01-15T10:30:00Z',
  model: 'llama3.1:8b',
  provider: 'ollama',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'Hello' }], timestamp: '2024-01-15T10:30:00Z' },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Hi' },
        { type: 'chart', x: 1 },
      ],
      timestamp: '2024-01-15T10:36:00Z',
    },
  ],
  toolCalls: [
    {
      id: 'call_123',
      name: 'read_file',
      args: { path: 'README.md' },
      result: { llmContent: 'text', returnDisplay: 'Read 4 bytes' },
      timestamp: '2024-01-15T10:35:00Z',
    },
  ],
};

describe('a session of the older form', () => {
  it('keeps its own id, its last activity and its count of tokens, which lists and documents show', async () => {
    const members = { lastActivity: '2024-01-15T11:45:00Z', metadata: { tokenCount: 1234, compressionCount: 1 } };
    const { created, events } = upgradeSession('old', JSON.stringify({ ...OLD, ...members }));
    const older = { sessionId: OLD.sessionId, lastActivity: members.lastActivity, tokenCount: 1234 };
    expect(created).toMatchObject({ older });
    const first = { format: 1, sessionId: 'old', ollm: '0', ...created };
    expect(validateEvent('session.created', first)).toEqual([]);
    const reader = readerOf(stored([{ type: 'session.created', data: first }, ...events]));
    const { states, counts } = await replay(reader, { session: sessionFold, summary: summaryFold });
    expect(states.summary).toMatchObject({ lastActivity: members.lastActivity, tokenCount: 1234 });
    const json = sessionJson(states.session, { damaged: counts.damaged, unknownEvents: counts.unknown });
    expect(json).toMatchObject({ lastActivity: members.lastActivity, metadata: { tokenCount: 1234 } });
  });

  it('becomes valid events, in the order of their times', () => {
    const { created, events } = upgradeSession('old', JSON.stringify(OLD));
    const older = { sessionId: OLD.sessionId };
    expect(created).toEqual({ model: 'llama3.1:8b', provider: 'ollama', at: '2024-01-15T10:30:00Z', older });
    expect(events.map(({ type }) => type)).toEqual([
      'message.added',
      'tool.requested',
      'tool.finished',
      'message.added',
    ]);
    for (const { type, data } of events) expect(validateEvent(type, data)).toEqual([]);
  });

  it('keeps its times and the number of its compactions', async () => {
    const { created, events } = upgradeSession(
      'old',
      JSON.stringify({
        ...OLD,
        lastActivity: '2024-01-15T10:40:00Z',
        metadata: { tokenCount: 5, compressionCount: 2 },
      }),
    );
    const first = { ...event.created(created), type: 'session.created' } as const;
    const { states, counts } = await replay(readerOf(stored([first, ...events])), {
      session: sessionFold,
      view: viewFold,
    });
    expect(counts.invalid).toBe(0);
    const { startTime, lastActivity, messages, toolCalls, metadata } = sessionJson(states.session);
    expect([startTime, lastActivity, metadata.compressionCount]).toEqual([
      '2024-01-15T10:30:00Z',
      '2024-01-15T10:40:00Z',
      2,
    ]);
    expect([...messages, ...toolCalls].map(({ timestamp }) => timestamp)).toEqual([
      '2024-01-15T10:30:00Z',
      '2024-01-15T10:36:00Z',
      '2024-01-15T10:35:00Z',
    ]);
    // Compactions of which nothing is known cover nothing.
    expect(countedEntries(states.view.timeline)).toHaveLength(3);
  });

  it('loses nothing: parts that are not text are kept unchanged', () => {
    const { events } = upgradeSession('old', JSON.stringify(OLD));
    expect(events.at(-1)?.data).toMatchObject({ parts: [{ text: 'Hi' }, { text: '{"type":"chart","x":1}' }] });
  });

  it.each(['', 'null', '[]', '{"messages":3}', '{"mess'])('is refused if it is not a session: %s', (text) => {
    expect(() => upgradeSession('old', text)).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
  });
});
