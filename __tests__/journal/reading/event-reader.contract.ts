// What every conversation does that is open for reading: a journal of any store, and a session of another program.
import type { EventReader, Outcome, SessionEvent } from '../../../lib/journal/types.ts';

export interface ConversationUnderTest {
  readonly reader: EventReader;
  /** Adds a message with this text at the end, as the program does that the conversation belongs to. */
  say(text: string): Promise<void>;
  dispose(): Promise<void>;
}

const COUNT = 600;
const TEXTS = Array.from({ length: COUNT }, (_, number) => `message ${number}`);

/** `setUp`: a conversation of one message for each text. Events next to them may be anywhere. */
export function eventReaderContract(
  name: string,
  setUp: (texts: readonly string[]) => Promise<ConversationUnderTest>,
): void {
  describe(`${name}, by the contract of every conversation`, () => {
    let subject: ConversationUnderTest;
    let reader: EventReader;
    beforeEach(async () => {
      subject = await setUp(TEXTS);
      reader = subject.reader;
    });
    afterEach(() => subject.dispose());
    const readAll = async (after?: unknown) => (await Array.fromAsync(reader.outcomes({ after }))).flat();

    it('gives its events in ascending order, each with its time, its type and its data', async () => {
      const events = eventsOf(await readAll());
      expect(textsOf(events)).toEqual(TEXTS);
      expect(events.every(({ seq }, index) => index === 0 || seq > events[index - 1]!.seq)).toBe(true);
      expect(events.every(({ ts }) => new Date(ts).toISOString() === ts)).toBe(true);
      expect(await reader.first()).toMatchObject({ seq: events[0]!.seq, type: events[0]!.type, data: events[0]!.data });
    });

    it('comes in batches of bounded size, with time for other work between two', async () => {
      let turns = 0;
      const count = () => {
        turns += 1;
        timer = setImmediate(count);
      };
      let timer = setImmediate(count);
      const seen: number[] = [];
      for await (const batch of reader.outcomes()) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(256);
        seen.push(turns);
      }
      clearImmediate(timer);
      expect(seen.length).toBeGreaterThan(1);
      expect(new Set(seen).size).toBe(seen.length);
    });

    it('continues after the position of any event, also a saved position', async () => {
      const events = eventsOf(await readAll());
      for (const at of [0, 1, 255, 256, events.length - 2, events.length - 1]) {
        const saved: unknown = JSON.parse(JSON.stringify(events[at]!.position));
        expect(seqsOf(await readAll(saved))).toEqual(events.slice(at + 1).map(({ seq }) => seq));
      }
    });

    it('ends with the reason of its abort signal', async () => {
      const stop = new AbortController();
      let batches = 0;
      const reading = async () => {
        for await (const _ of reader.outcomes({ signal: stop.signal })) {
          batches += 1;
          stop.abort(new Error('enough'));
        }
      };
      await expect(reading()).rejects.toThrow('enough');
      await expect(reading()).rejects.toThrow('enough');
      expect(batches).toBe(1);
    });

    it('gives the events that existed when the reading started', async () => {
      const seen: SessionEvent[] = [];
      for await (const batch of reader.outcomes()) {
        seen.push(...eventsOf(batch));
        await subject.say('late');
      }
      expect(textsOf(seen)).toEqual(TEXTS);
      expect(textsOf(eventsOf(await readAll())).slice(COUNT)).toContain('late');
    });

    it('may be stopped in the middle, and begun again', async () => {
      for await (const _ of reader.outcomes()) break;
      expect(textsOf(eventsOf(await readAll()))).toHaveLength(COUNT);
    });

    it('ends with an error if the reader is closed during the reading, and keeps the events already read', async () => {
      let first: readonly Outcome<SessionEvent>[] = [];
      const reading = async () => {
        for await (first of reader.outcomes()) reader.close();
      };
      await expect(reading()).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
      expect(textsOf(eventsOf(first))[0]).toBe(TEXTS[0]);
      await expect(readAll()).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
    });

    it('can be followed from any position, and ends without an error', async () => {
      const events = eventsOf(await readAll());
      const stop = new AbortController();
      const seen: SessionEvent[] = [];
      await subject.say('before');
      for await (const batch of reader.follow({ after: events.at(-2)!.position, signal: stop.signal })) {
        seen.push(...eventsOf(batch));
        const texts = textsOf(seen);
        if (texts.includes('after')) stop.abort();
        else if (texts.includes('before')) await subject.say('after');
      }
      const known = new Set(events.slice(0, -1).map(({ seq }) => seq));
      expect(seen.some(({ seq }) => known.has(seq))).toBe(false);
      expect(new Set(seen.map(({ seq }) => seq)).size).toBe(seen.length);
      expect(textsOf(seen).slice(-2)).toEqual(['before', 'after']);
    });
  });
}

function eventsOf(outcomes: Iterable<Outcome<SessionEvent>>): SessionEvent[] {
  return [...outcomes].flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
}

function seqsOf(outcomes: Iterable<Outcome<SessionEvent>>): number[] {
  return eventsOf(outcomes).map(({ seq }) => seq);
}

function textsOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    if (type !== 'message.added') return [];
    const [part] = data.parts as readonly { readonly text?: string }[];
    return [part?.text ?? ''];
  });
}
