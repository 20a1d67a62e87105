import { OllmError } from '../../lib/errors/index.ts';
import { decodeEvent } from '../../lib/events/decode.ts';
import type { UpcastStep } from '../../lib/events/upcast/index.ts';
import { event, stored } from '../support/event-list.ts';

const one = (...events: Parameters<typeof stored>[0]) => stored(events)[0]!;

describe('decodeEvent', () => {
  it('returns an event of the catalogue unchanged', () => {
    const message = one(event.said('user', 'hello'));
    expect(decodeEvent(message)).toEqual({ kind: 'known', event: message });
  });

  it('keeps members that the schema does not know', () => {
    const decoded = decodeEvent(one({ type: 'session.titled', data: { title: 'T', mood: 'good' } }));
    expect(decoded).toMatchObject({ kind: 'known', event: { data: { title: 'T', mood: 'good' } } });
  });

  it('returns an unknown type', () => {
    const foreign = one({ type: 'plugin.noted', data: { anything: [1] } });
    expect(decodeEvent(foreign)).toEqual({ kind: 'unknown', event: foreign });
  });

  it('reports unreadable data as invalid, for any type', () => {
    const unreadable = {
      ...one({ type: 'plugin.noted', data: {} }),
      get data(): never {
        throw new OllmError('JOURNAL_DAMAGED', 'It nests too deep.');
      },
    };
    expect(decodeEvent(unreadable)).toMatchObject({ kind: 'invalid', reason: 'It nests too deep.' });
  });

  it('names the wrong member if data does not match its type', () => {
    const decoded = decodeEvent(one({ type: 'message.added', data: { role: 'user', parts: [{ type: 'text' }] } }));
    expect(decoded).toMatchObject({ kind: 'invalid', reason: 'message.added: /trusted is missing.' });
  });
});

describe('upcasting', () => {
  const rename: UpcastStep = ({ data }) => ({ type: 'session.titled', data: { title: data.name } });
  const shout: UpcastStep = ({ type, data }) => ({ type, data: { ...data, title: `${data.title}!` } });
  const upcasts = new Map([
    [1, new Map([['session.named', rename]])],
    [2, new Map([['session.titled', shout]])],
  ]);
  const old = one({ type: 'session.named', data: { name: 'Old' } });

  it('takes an event through each step from its format to the present one', () => {
    const decoded = decodeEvent(old, { format: 1, upcasts, to: 3 });
    expect(decoded).toMatchObject({
      kind: 'known',
      event: { type: 'session.titled', seq: 0, data: { title: 'Old!' } },
    });
  });

  it('begins at the format of the journal', () => {
    const titled = one({ type: 'session.titled', data: { title: 'New' } });
    expect(decodeEvent(titled, { format: 2, upcasts, to: 3 })).toMatchObject({ event: { data: { title: 'New!' } } });
    expect(decodeEvent(titled, { format: 3, upcasts, to: 3 })).toMatchObject({ event: { data: { title: 'New' } } });
  });

  it('checks the result, not the input', () => {
    const nameless = one({ type: 'session.named', data: {} });
    expect(decodeEvent(nameless, { format: 1, upcasts, to: 2 })).toMatchObject({
      kind: 'invalid',
      event: nameless,
      reason: 'session.titled: /title is missing.',
    });
  });

  it('leaves an event unchanged that no step applies to', () => {
    const message = one(event.said('user', 'hi'));
    expect(decodeEvent(message, { format: 1, upcasts, to: 3 })).toEqual({ kind: 'known', event: message });
  });
});
