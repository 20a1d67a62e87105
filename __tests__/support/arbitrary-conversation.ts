// Random sessions in which messages come in pieces, are replaced later, and calls have decisions and starts.
import fc from 'fast-check';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { arbitrarySession } from './arbitrary-session.ts';
import { stored } from './event-list.ts';

const PICKS = 60;

/** `text`: the words of every message and result. */
export function arbitraryConversation({ text }: { readonly text?: string } = {}): fc.Arbitrary<StoredEvent[]> {
  const picks = fc.array(fc.nat({ max: 8 }), { minLength: PICKS, maxLength: PICKS });
  return fc.tuple(arbitrarySession(), picks).map(([session, chosen]) => {
    const open: string[] = [];
    return stored(session).map((event, index) => {
      const { data, ...rest } = withWords(event, text);
      const pick = chosen[index % PICKS]!;
      const callId = String(data.callId);
      if (rest.type === 'tool.requested') open.push(callId);
      if (rest.type === 'tool.finished') open.splice(open.lastIndexOf(callId) >>> 0, 1);
      if (rest.type === 'message.added' && data.role === 'user' && (pick === 3 || pick === 4))
        return { ...rest, data: { ...data, synthetic: true, ...(pick === 4 && { message: 'm0' }) } };
      if (rest.type === 'message.added' && data.role !== 'system' && pick < 3)
        return { ...rest, data: { ...data, message: `m${pick}` } };
      if (rest.type === 'session.titled') {
        const parts = [{ type: 'text', text: text ?? data.title! }];
        return { ...rest, type: 'message.replaced', data: { message: `m${pick % 3}`, parts } };
      }
      const called = open[pick % open.length];
      if (rest.type !== 'usage.reported' || called === undefined) return { ...rest, data };
      return pick < 4
        ? {
            ...rest,
            type: 'tool.decided',
            data: { callId: called, decision: pick === 0 ? 'deny' : 'allow', by: 'user' },
          }
        : { ...rest, type: 'tool.started', data: { callId: called, sandbox: 'none', envRemoved: [] } };
    });
  });
}

function withWords(event: StoredEvent, text: string | undefined): StoredEvent {
  if (text === undefined) return event;
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        ['text', 'llmContent', 'content', 'summary', 'path'].includes(name) && typeof one === 'string'
          ? text
          : clean(one),
      ]),
    );
  };
  return { ...event, data: clean(event.data) as StoredEvent['data'] };
}
