import { readdirSync, readFileSync } from 'node:fs';
import { EVENT_MEANINGS, EVENT_TYPES, isEventType } from '../../lib/events/catalogue.ts';
import { refuseForeign } from '../../lib/events/refuse-foreign.ts';

describe('the catalogue', () => {
  it('lists a type for each schema, with its meaning', () => {
    const files = readdirSync('schemas/events').map((file) => file.replace(/\.json$/, ''));
    expect([...EVENT_TYPES].sort()).toEqual(files.sort());
    for (const type of EVENT_TYPES) expect(EVENT_MEANINGS[type]).toMatch(/\.$/);
  });

  it.each(['toString', '__proto__', 'constructor', '', 'plugin.noted'])('does not accept %p as a type', (type) => {
    expect(isEventType(type)).toBe(false);
  });

  it('has a section for each type in docs/events.md', () => {
    const page = readFileSync('docs/events.md', 'utf8');
    for (const type of EVENT_TYPES) expect(page).toContain(`### \`${type}\``);
  });
});

describe('refuseForeign', () => {
  it.each([
    ['session.created', {}],
    ['writer.opened', {}],
    ['writer.anything', {}],
    ['journal.recovered', {}],
    ['queue.changed', { added: [{ promptId: 'p', text: 'x', queuedAt: '2026-01-01T00:00:00Z' }] }],
    ['run.started', {}],
    ['run.asked', { run: 'r', callId: 'c', hash: 'f'.repeat(64), request: {} }],
    ['tool.decided', { callId: 'c', decision: 'allow', by: 'user' }],
    ['tool.decided', { callId: 'c', decision: 'allow', by: 'grant' }],
  ])('reserves %s for ollm itself, and says why', (type, data) => {
    expect(refuseForeign({ type, data })).toMatch(/^.{20,}\.$/);
  });

  it.each([
    ['tool.decided', { callId: 'c', decision: 'deny', by: 'policy' }],
    ['message.added', { by: 'user' }],
    ['session.titled', {}],
    ['plugin.noted', {}],
  ])('lets any program write %s', (type, data) => {
    expect(refuseForeign({ type, data })).toBeUndefined();
  });
});
