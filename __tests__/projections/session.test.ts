import fc from 'fast-check';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { type SessionJson, sessionFold, sessionJson, sessionJsonText } from '../../lib/projections/session.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, stored } from '../support/event-list.ts';

function sessionOf(events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ session: sessionFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.session;
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('Feature: services-sessions', () => {
  it('Property 1: Session persistence round-trip', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        const session = sessionOf(events);
        const text = [...sessionJsonText(session)].join('');
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(sessionJson(session))));
        const said = events.filter(({ type }) => type === 'message.added').length;
        const { messages, metadata } = sessionJson(session);
        expect(messages.length + (metadata.undone ?? 0)).toBe(said);
      }),
    );
  });

  it('Property 2: Session file format completeness', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        const json: SessionJson = JSON.parse([...sessionJsonText(sessionOf(events))].join(''));
        expect(Object.keys(json).slice(0, 8)).toEqual([
          'sessionId',
          'startTime',
          'lastActivity',
          'model',
          'provider',
          'messages',
          'toolCalls',
          'metadata',
        ]);
        for (const message of json.messages) {
          expect(Object.keys(message)).toEqual(['role', 'parts', 'timestamp']);
        }
        for (const call of json.toolCalls) {
          expect(Object.keys(call)).toEqual(['id', 'name', 'args', 'result', 'timestamp']);
          expect(typeof call.result.llmContent).toBe('string');
        }
        expect(json.metadata).toMatchObject({
          tokenCount: expect.any(Number),
          compressionCount: events.filter(({ type }) => type === 'compaction.completed').length,
        });
      }),
    );
  });

  it('Property 3: Timestamp format validity', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        const { startTime, lastActivity, messages, toolCalls } = sessionJson(sessionOf(events));
        const times = [startTime, lastActivity, ...[...messages, ...toolCalls].map(({ timestamp }) => timestamp)];
        for (const time of times) {
          expect(time).toMatch(ISO_8601);
          expect(Number.isNaN(Date.parse(time!))).toBe(false);
        }
      }),
    );
  });

  it('Property 9: Last activity timestamp updates', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        const replayer = createReplayer({ session: sessionFold });
        let previous = '';
        for (const one of stored(events)) {
          replayer.see(one);
          const { lastActivity } = replayer.states.session;
          expect(lastActivity >= previous).toBe(true);
          if (['message.added', 'tool.requested', 'tool.finished'].includes(one.type))
            expect(lastActivity).toBe(one.ts);
          previous = lastActivity;
        }
      }),
    );
  });
});

describe('the session document', () => {
  const conversation = [
    event.created({ title: 'Tides' }),
    event.said('user', 'read it'),
    event.asked('c1', 'read_file', { path: 'README.md' }),
    event.finished('c1', 'contents', { result: { llmContent: 'contents', returnDisplay: '8 bytes' } }),
    event.said('assistant', 'it says: contents'),
  ];

  it('lists messages and calls in the order of the conversation', () => {
    expect(sessionJson(sessionOf(conversation))).toEqual({
      sessionId: '00000000-0000-4000-8000-000000000001',
      startTime: '2026-01-01T00:00:00.000Z',
      lastActivity: '2026-01-01T00:00:04.000Z',
      model: 'm',
      provider: 'p',
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'read it' }], timestamp: '2026-01-01T00:00:01.000Z' },
        {
          role: 'assistant',
          parts: [{ type: 'text', text: 'it says: contents' }],
          timestamp: '2026-01-01T00:00:04.000Z',
        },
      ],
      toolCalls: [
        {
          id: 'c1',
          name: 'read_file',
          args: { path: 'README.md' },
          result: { llmContent: 'contents', returnDisplay: '8 bytes' },
          timestamp: '2026-01-01T00:00:02.000Z',
        },
      ],
      metadata: { tokenCount: 7 + 8 + 17, compressionCount: 0 },
      title: 'Tides',
    });
  });

  it('leaves out undone messages, and counts them', () => {
    const json = sessionJson(sessionOf([...conversation, event.said('user', 'more'), event.moved(0)]));
    expect([json.messages, json.toolCalls, json.metadata.undone]).toEqual([[], [], 3]);
  });

  it('keeps a result whose call cannot be read any more', () => {
    const json = sessionJson(sessionOf([event.created(), event.finished('lost', 'still here')]));
    expect(json.toolCalls).toEqual([
      {
        id: 'lost',
        name: 'unknown',
        args: {},
        result: { llmContent: 'still here' },
        timestamp: '2026-01-01T00:00:01.000Z',
      },
    ]);
  });

  it('reports unreadable parts, and names its source on its first line', () => {
    const session = sessionOf(conversation);
    const text = [...sessionJsonText(session, { damaged: 2, unknownEvents: 1 }, { seq: 4 })].join('');
    expect(JSON.parse(text)).toMatchObject({ metadata: { damaged: 2, unknownEvents: 1 }, journal: { seq: 4 } });
    expect(text.split('\n')[0]).toBe('{"journal":{"seq":4},');
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('assigns a result to the newest open call of an id that is used twice', () => {
    const twice = [
      event.asked('c', 'a'),
      event.finished('c', 'first'),
      event.asked('c', 'b'),
      event.finished('c', 'second'),
    ];
    const { toolCalls } = sessionJson(sessionOf([event.created(), ...twice]));
    expect(toolCalls.map(({ name, result }) => [name, result.llmContent])).toEqual([
      ['a', 'first'],
      ['b', 'second'],
    ]);
  });
});
