// Laws for every agent. Its cases are folders written by hand in the program's own format:
//   record.jsonl (or record.json, for one document)   the program's own records; rows of a database, one a line
//   events.jsonl                                      the events that it must give, see `plain`
//   report.json                                       the fidelity report of it
//   source.json                                       optional: id, parent, startedAt and facts of the source
// AGENT_CASES=write writes the files of a case that are missing. Read them before you keep them.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { formatAddress, importedId } from '../../lib/agents/address.ts';
import type { Agent, ForeignEvent, JsonObject, Source } from '../../lib/agents/agent.ts';
import { Fidelity } from '../../lib/agents/fidelity.ts';
import { readHead } from '../../lib/agents/head.ts';
import { elementsOf, membersOf } from '../../lib/agents/json-spans.ts';
import { bytesOf } from '../../lib/agents/kept.ts';
import { type ForeignCheckpoint, openForeign } from '../../lib/agents/open-foreign.ts';
import { openSource } from '../../lib/agents/open-source.ts';
import { recordsOfDocument, recordsOfLines } from '../../lib/agents/records.ts';
import { type Translation, Translator } from '../../lib/agents/translator.ts';
import type { EventType } from '../../lib/events/index.ts';
import { NO_TIME } from '../../lib/events/time-of.ts';
import { validateEvent } from '../../lib/events/validate.ts';
import { validateEvent as validateStorable } from '../../lib/journal/line/storable.ts';
import type { Outcome } from '../../lib/journal/types.ts';
import { type MemoryFileSystem, memoryFileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import { overKept } from './reading.ts';

const SHARED = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const MAX_STATE_BYTES = 64 * 1024;
const MAX_BROKEN_BYTES = 200 * 1024;
const LONG = 'ä'.repeat(MAX_STATE_BYTES);
/** Deeper than a journal takes. */
const DEEP = JSON.parse(`${'{"in":['.repeat(400)}${']}'.repeat(400)}`) as object;
/** A value of each kind that JSON has. */
const KINDS: readonly { name: string; value: unknown }[] = [
  { name: 'null', value: null },
  { name: 'a number', value: -1.5 },
  { name: 'a number beyond all bounds', value: JSON.parse('1e999') },
  { name: 'a text', value: 'text' },
  { name: 'an empty text', value: '' },
  { name: 'true', value: true },
  { name: 'a list', value: [null, 1, 'text', {}] },
  { name: 'an object', value: { __proto__: null, text: { deep: [] } } },
];
const AT = '/agent/session';
const BEGINNING = '019f0000-0000-7000-8000-';
const uid = process.getuid?.();

type ForeignOutcome = Outcome<ForeignEvent>;

interface Case {
  readonly name: string;
  readonly folder: string;
  readonly path: string;
  readonly bytes: Buffer;
  readonly source: Source;
  /** How a counterexample shows it. */
  readonly [fc.toStringMethod]: () => string;
}

/** The source of the reading: a case, or anything else. */
type Read = Pick<Case, 'path' | 'bytes' | 'source'>;

export interface AgentUnderTest {
  /** Paths of real files under ../shared/data, where that is there. Default: none. */
  readonly real?: (path: string) => boolean;
}

/** Describes an agent by its cases under `__tests__/agents/<name>/cases`. */
export function describeAgent(agent: Agent, { real = () => false }: AgentUnderTest = {}): void {
  const cases = casesOf(agent);
  const records = cases.flatMap((one) => recordsOf(agent, one));

  describe(`${agent.title}: its cases`, () => {
    it('exist', () => {
      expect(cases.length).toBeGreaterThan(0);
    });

    it.each(cases)('$name gives the events of its events.jsonl', (one) => {
      const events = eventsOf(outcomesOf(agent, one)).map(plain);
      expect(events).toEqual(expected(one, 'events.jsonl', events.map((event) => JSON.stringify(event)).join('\n')));
    });

    it.each(cases)('$name gives the fidelity report of its report.json', (one) => {
      const fidelity = new Fidelity(agent);
      const translator = new Translator(agent, one.source, 0);
      for (const step of stepsOf(agent, one)) {
        if (step.kind === 'record') fidelity.see(step.record, translator.translate(step).translation);
        if (step.kind === 'damage') fidelity.seeDamage(step.damage);
      }
      const report = fidelity.report();
      expect(report).toEqual(expected(one, 'report.json', JSON.stringify(report, undefined, 2)));
    });
  });

  describe(`${agent.title}: the laws`, () => {
    it.each(cases)('the events of $name are valid, numbered, in the order of time, and trusted in nothing', (one) => {
      const events = eventsOf(outcomesOf(agent, one));
      expectSound(events);
      const [first, ...rest] = events;
      if (first === undefined) return;
      const { id } = one.source;
      expect(first.type).toBe('session.created');
      expect(first.data.sessionId).toBe(importedId(agent.name, id));
      expect(first.data.origin).toMatchObject({ agent: agent.name, address: formatAddress({ agent: agent.name, id }) });
      for (const { data } of rest) {
        const { position, length } = data.origin as { position: number; length: number };
        const text = one.bytes.toString('utf8', position, position + length);
        expect(() => JSON.parse(one.path.endsWith('.json') && position === 0 ? '{}' : text)).not.toThrow();
      }
    });

    it('a session that is read in pieces gives the events of one reading', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...cases), fc.array(fc.nat(), { maxLength: 4 }), async (one, cuts) => {
          const whole = eventsOf(outcomesOf(agent, one));
          expect(await readInPieces(agent, one, cuts)).toEqual(whole);
        }),
      );
    });

    it('a session that grew gives the earlier events, and more', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...cases), fc.nat(), async (one, cut) => {
          const whole = eventsOf(outcomesOf(agent, one));
          const [bytes] = prefixesOf(agent, one, [cut]);
          const before = eventsOf(outcomesOf(agent, { ...one, bytes: bytes ?? one.bytes }));
          expect(before).toEqual(whole.slice(0, before.length));
        }),
      );
    });

    it('a translator that is saved and continued after any record gives equal events', () => {
      fc.assert(
        fc.property(fc.constantFrom(...cases), fc.nat(), (one, cut) => {
          const steps = [...stepsOf(agent, one)].filter((step) => step.kind === 'record');
          let translator = new Translator(agent, one.source, 0);
          const events = steps.flatMap((step, index) => {
            if (index === cut % (steps.length + 1)) {
              translator = new Translator(agent, one.source, 0, JSON.parse(JSON.stringify(translator.save())));
            }
            return translator.translate(step).events;
          });
          expect(events).toEqual(eventsOf(outcomesOf(agent, one)));
        }),
      );
    });

    it('no contents of a record cause an error, and the events are valid', () => {
      fc.assert(
        fc.property(fc.array(brokenRecord(records), { maxLength: 20 }), (broken) => {
          const source = cases[0]?.source ?? { agent: agent.name, id: 'x', path: AT };
          const translator = new Translator(agent, source, 0);
          const fidelity = new Fidelity(agent);
          const events = broken.flatMap((record, index) => {
            const translated = translator.translate({ record, position: index, length: 1 });
            if (translated.damage !== undefined) throw new Error(translated.damage.reason);
            fidelity.see(record, translated.translation);
            return translated.events;
          });
          expectSound(events);
          expect(fidelity.report().records).toBe(broken.length);
          expect(Buffer.byteLength(JSON.stringify(translator.save().state))).toBeLessThanOrEqual(MAX_STATE_BYTES);
        }),
        { numRuns: 1000 },
      );
    });

    it.each(cases)('$name gives equal events if its ids share a long beginning, as ids made of the time do', (one) => {
      const ids = new Set(translationsOf(agent, one).flatMap(({ record }) => record ?? []));
      const rename = (text: string) =>
        text.replace(/"([\w-]+)"/g, (quoted, id: string) => (ids.has(id) ? `"${BEGINNING}${id}"` : quoted));
      const unnamed = (events: readonly ForeignEvent[]) => JSON.stringify(events.map(plain)).replaceAll(BEGINNING, '');
      const { inside } = one.source;
      const source =
        inside !== undefined && ids.has(inside) ? { ...one.source, inside: `${BEGINNING}${inside}` } : one.source;
      const renamed = { ...one, source, bytes: Buffer.from(rename(one.bytes.toString('utf8'))) };
      // Text that is not UTF-8 is not preserved.
      const same = { ...one, bytes: Buffer.from(one.bytes.toString('utf8')) };
      expect(unnamed(eventsOf(outcomesOf(agent, renamed)))).toBe(unnamed(eventsOf(outcomesOf(agent, same))));
    });

    it.each(KINDS)('a member that is $name causes no error, whichever it is', ({ value }) => {
      const faults: string[] = [];
      for (const one of cases) {
        const all = recordsOf(agent, one);
        for (const [at, record] of all.entries()) {
          const [before] = all.slice(Math.max(0, at - 1), at);
          for (let member = 0; member < placesIn(record).length; member++) {
            const copy = structuredClone(record) as Record<string, unknown>;
            const place = placesIn(copy)[member];
            if (place !== undefined) place.owner[place.name] = value;
            const translator = new Translator(agent, one.source, 0);
            const translated = [...(before === undefined ? [] : [before]), copy].map((each, position) =>
              translator.translate({ record: structuredClone(each), position, length: 1 }),
            );
            faults.push(...translated.flatMap(({ damage }) => damage?.reason ?? []));
            faults.push(...faultsOf(translated.flatMap(({ events }) => events)));
          }
        }
      }
      expect(faults).toEqual([]);
    });

    it('no byte of a file causes an error, and every whole record is read', async () => {
      const files = cases.filter(({ path }) => !path.endsWith('.json'));
      if (files.length === 0) return;
      await fc.assert(
        fc.property(fc.constantFrom(...files), brokenBytes(), (one, breakUp) => {
          const outcomes = outcomesOf(agent, { ...one, bytes: breakUp(one.bytes) });
          expectSound(eventsOf(outcomes));
        }),
        { numRuns: 300 },
      );
    });

    it(`the state has at most ${MAX_STATE_BYTES} bytes, for a session of any length`, () => {
      const translator = new Translator(agent, cases[0]?.source ?? { agent: agent.name, id: 'x', path: AT }, 0);
      const rounds = Math.ceil(20_000 / Math.max(1, records.length));
      for (let round = 0; round < rounds; round++) {
        for (const [index, record] of records.entries()) {
          translator.translate({ record: renamed(record, round), position: index, length: 1 });
        }
        if (round % 50 === 0 || round === rounds - 1) {
          expect(Buffer.byteLength(JSON.stringify(translator.save().state))).toBeLessThanOrEqual(MAX_STATE_BYTES);
        }
      }
    });

    it.each(cases)('reading $name, and its head, leaves the directory and all its bytes unchanged', async (one) => {
      const look = () =>
        readdirSync(one.folder).map((name) => {
          const { size, mtimeMs, ino } = statSync(join(one.folder, name));
          return { name, size, mtimeMs, ino, bytes: readFileSync(join(one.folder, name), 'latin1') };
        });
      const before = look();
      const source = { ...one.source, path: one.path };
      const reader = openForeign(asFile(agent, one), source, { fileSystem: nodeFileSystem, uid });
      expect(eventsOf(await collect(reader.outcomes())).map(plain)).toEqual(
        eventsOf(outcomesOf(agent, one)).map(plain),
      );
      expect(await reader.first().then((event) => event && plain(event))).toEqual(
        eventsOf(outcomesOf(agent, one)).map(plain)[0],
      );
      reader.close();
      expect(await openForeign(asFile(agent, one), source, { fileSystem: nodeFileSystem, uid }).fidelity()).toEqual(
        JSON.parse(readFileSync(join(one.folder, 'report.json'), 'utf8')),
      );
      expect(Buffer.concat([...bytesOf(asFile(agent, one), source, { fileSystem: nodeFileSystem, uid })])).toEqual(
        one.bytes,
      );
      expect(readHead(asFile(agent, one), source, { fileSystem: nodeFileSystem, uid }).id).toBe(source.id);
      expect(look()).toEqual(before);
    });
  });

  const files = realFiles().filter(real);
  const describeReal = files.length === 0 ? describe.skip : describe;
  describeReal(`${agent.title}: real sessions`, () => {
    it.each(files.map((path) => ({ path: path.slice(SHARED.length) })))('$path is translated', async ({ path }) => {
      const source: Source = { agent: agent.name, id: basename(path).replace(/\.[^.]*$/, ''), path: SHARED + path };
      // Whose they are does not matter: they are test data.
      const reader = openForeign(agent, source, { fileSystem: nodeFileSystem, uid: undefined });
      const outcomes = await collect(reader.outcomes());
      expectSound(eventsOf(outcomes));
      expect(eventsOf(outcomes).length).toBeGreaterThan(1);
      expect(
        outcomes.filter((outcome) => outcome.kind === 'damage' && /translated/.test(outcome.damage.reason)),
      ).toEqual([]);
      const state = reader.checkpoint()?.translator.state;
      expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(MAX_STATE_BYTES);
      expect((await reader.fidelity()).notUnderstood).toEqual({});
      const head = readHead(agent, source, { fileSystem: nodeFileSystem, uid: undefined });
      expect(Number.isNaN(Date.parse(head.lastActivity ?? ''))).toBe(false);
    });

    it('files broken anywhere are translated as far as they are intact', () => {
      const small = files.filter((path) => statSync(path).size < MAX_BROKEN_BYTES && /\.jsonl?$/.test(path));
      if (small.length === 0) return;
      fc.assert(
        fc.property(fc.constantFrom(...small), brokenBytes(), (path, breakUp) => {
          const source: Source = { agent: agent.name, id: 'broken', path: path.endsWith('.json') ? `${AT}.json` : AT };
          const bytes = breakUp(readFileSync(path));
          expectSound(eventsOf(outcomesOf(agent, { path, bytes, source })));
        }),
      );
    });

    it('a stretch of a long file, broken anywhere, is translated as far as it is intact', () => {
      const long = files.filter((path) => statSync(path).size >= MAX_BROKEN_BYTES && path.endsWith('.jsonl'));
      if (long.length === 0) return;
      fc.assert(
        fc.property(fc.constantFrom(...long), fc.nat(), brokenBytes(), (path, place, breakUp) => {
          const source: Source = { agent: agent.name, id: 'broken', path: AT };
          const bytes = breakUp(stretchOf(readFileSync(path), place));
          expectSound(eventsOf(outcomesOf(agent, { path, bytes, source })));
        }),
      );
    });

    it('a long document, broken anywhere, is translated, or is damage', () => {
      const long = files.filter((path) => statSync(path).size >= MAX_BROKEN_BYTES && path.endsWith('.json'));
      if (long.length === 0) return;
      fc.assert(
        fc.property(fc.constantFrom(...long), brokenBytes(), (path, breakUp) => {
          const source: Source = { agent: agent.name, id: 'broken', path: `${AT}.json` };
          expectSound(eventsOf(outcomesOf(agent, { path, bytes: breakUp(readFileSync(path)), source })));
        }),
        { numRuns: 30 },
      );
    });
  });
}

/** Lines of a long file from anywhere in it, about as many bytes as of a short one. */
function stretchOf(bytes: Buffer, place: number): Buffer {
  const start = bytes.indexOf(0x0a, place % bytes.length) + 1;
  return bytes.subarray(start, start + MAX_BROKEN_BYTES);
}

/** What a case says of an event: without its number, the version of ollm and where the file is. */
function plain({ type, ts, turn, data }: ForeignEvent): object {
  const { origin, ollm: _, ...rest } = data as { origin?: { record?: string; address?: string }; ollm?: string };
  const { at, ...said } = rest as { at?: string };
  const from = type === 'session.created' ? origin?.address : origin?.record;
  return {
    type,
    ts,
    ...(at === undefined || at === ts ? {} : { at }),
    ...(turn === undefined ? {} : { turn }),
    ...(from === undefined ? {} : { from }),
    data: said,
  };
}

function expectSound(events: readonly ForeignEvent[]): void {
  expect([...faultsOf(events)]).toEqual([]);
}

/** The faults of events. Not an expectation each: the laws examine hundreds of thousands. */
function* faultsOf(events: readonly ForeignEvent[]): Generator<string> {
  let last = '';
  const said = new Set<unknown>();
  for (const [index, { seq, ts, type, data, position, attachments = [] }] of events.entries()) {
    for (const { message } of validateEvent(type as EventType, data)) yield `${type}: ${message}`;
    try {
      validateStorable({ type, data });
    } catch (error) {
      yield (error as Error).message;
    }
    if (seq !== index || position.seq !== index || position.generation !== 0) yield `${type} has the number ${seq}`;
    // Before the first record with a time, an event has none.
    const isTime = ts === NO_TIME || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(ts);
    if (!isTime || ts < last) yield `${type} has the time ${ts}`;
    last = ts;
    if (type === 'message.added') said.add(data.message);
    if (type === 'message.replaced' && !said.has(data.message)) yield `${type} names no message that was added`;
    if (data.trusted === true) yield `${type} is trusted`;
    if (type !== 'session.created' && data.origin === undefined) yield `${type} comes from nowhere`;
    if (attachments.length === 0) continue;
    const named = JSON.stringify(data);
    for (const { blob } of attachments) if (!named.includes(blob)) yield `${type} does not name ${blob}`;
  }
}

function casesOf(agent: Agent): readonly Case[] {
  const directory = fileURLToPath(new URL(`${agent.name}/cases/`, import.meta.url));
  return readdirSync(directory)
    .sort()
    .map((name) => {
      const folder = join(directory, name);
      const file = ['record.jsonl', 'record.json'].find((candidate) => existsSync(join(folder, candidate)));
      const path = join(folder, file ?? 'record.jsonl');
      const about = join(folder, 'source.json');
      const more = existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')) : {};
      const source = { agent: agent.name, id: name, path: file?.endsWith('.json') ? `${AT}.json` : AT, ...more };
      return { name, folder, path, bytes: readFileSync(path), source, [fc.toStringMethod]: () => name };
    });
}

/** What a file of the case says; `now` where it is missing and is to be written. */
function expected({ folder }: Case, name: string, now: string): unknown {
  const path = join(folder, name);
  if (!existsSync(path) && process.env.AGENT_CASES === 'write') writeFileSync(path, `${now}\n`);
  if (!existsSync(path)) throw new Error(`${path} is missing. It would be:\n${now}`);
  const text = readFileSync(path, 'utf8');
  if (name.endsWith('.json')) return JSON.parse(text);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** The agent with its records where the case has them: those of a database are lines. */
function asFile(agent: Agent, { path }: Pick<Case, 'path'>): Agent {
  if (path.endsWith('.json') || agent.stored({ agent: agent.name, id: 'x', path: AT }).kind === 'lines') return agent;
  return overKept(agent);
}

function stepsOf(agent: Agent, one: Read) {
  const { fileSystem } = diskWith(one.bytes, one.source.path);
  const handle = openSource({ fileSystem, uid: undefined }, one.source.path);
  const stored = asFile(agent, one).stored(one.source);
  if (stored.kind === 'document') return recordsOfDocument(handle, stored);
  return recordsOfLines(handle, { from: 0, to: one.bytes.length });
}

function translationsOf(agent: Agent, one: Read): Translation[] {
  const translator = new Translator(agent, one.source, 0);
  return [...stepsOf(agent, one)].flatMap((step) =>
    step.kind === 'record' ? [translator.translate(step).translation] : [],
  );
}

function recordsOf(agent: Agent, one: Case): JsonObject[] {
  return [...stepsOf(agent, one)].flatMap((step) => (step.kind === 'record' ? [step.record] : []));
}

function outcomesOf(agent: Agent, one: Read): readonly ForeignOutcome[] {
  const translator = new Translator(agent, one.source, 0);
  return [...stepsOf(agent, one)].flatMap((step): ForeignOutcome[] => {
    if (step.kind === 'damage') return [{ kind: 'damage', damage: step.damage }];
    if (step.kind === 'pause') return [];
    const { events, damage } = translator.translate(step);
    expect(damage).toBeUndefined();
    return events.map((event) => ({ kind: 'event', event }));
  });
}

function eventsOf(outcomes: readonly ForeignOutcome[]): readonly ForeignEvent[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
}

/** Earlier states of the source: a file that ended earlier, or a document with fewer elements in its list. */
function prefixesOf(agent: Agent, one: Case, cuts: readonly number[]): Buffer[] {
  const stored = asFile(agent, one).stored(one.source);
  if (stored.kind !== 'document') {
    return cuts
      .map((cut) => cut % (one.bytes.length + 1))
      .sort((left, right) => left - right)
      .map((length) => one.bytes.subarray(0, length));
  }
  const text = one.bytes.toString('latin1');
  const list = [...membersOf(text, text.indexOf('{'))].findLast(({ name }) => name === stored.list);
  if (list === undefined) return cuts.map(() => one.bytes);
  const ends = [list.start + 1, ...[...elementsOf(text, list.start)].map(({ stop }) => stop)];
  const rest = text.slice(text.lastIndexOf(']', list.stop - 1));
  return cuts
    .map((cut) => ends[cut % ends.length] ?? 0)
    .sort((left, right) => left - right)
    .map((end) => Buffer.from(text.slice(0, end) + rest, 'latin1'));
}

/** Reads the present records, waits for more, and continues from a checkpoint that was plain JSON in the meantime. */
async function readInPieces(agent: Agent, one: Case, cuts: readonly number[]): Promise<readonly ForeignEvent[]> {
  const events: ForeignEvent[] = [];
  let from: ForeignCheckpoint | undefined;
  for (const bytes of [...prefixesOf(agent, one, cuts), one.bytes]) {
    const { fileSystem } = diskWith(bytes, one.source.path);
    const reader = openForeign(asFile(agent, one), one.source, { fileSystem, uid: undefined, from });
    events.push(...eventsOf(await collect(reader.outcomes({ after: events.at(-1)?.position }))));
    from = JSON.parse(JSON.stringify(reader.checkpoint())) as ForeignCheckpoint;
    reader.close();
  }
  return events;
}

async function collect(batches: AsyncIterable<readonly ForeignOutcome[]>): Promise<ForeignOutcome[]> {
  const outcomes: ForeignOutcome[] = [];
  for await (const batch of batches) outcomes.push(...batch);
  return outcomes;
}

function diskWith(bytes: Uint8Array, path: string): { fileSystem: MemoryFileSystem } {
  const fileSystem = memoryFileSystem();
  fileSystem.makeDirectory('/agent');
  const handle = fileSystem.open(path, 'create');
  for (let at = 0; at < bytes.length; ) at += handle.write(bytes.subarray(at));
  handle.close();
  return { fileSystem };
}

/** A record of the cases with members taken out, replaced by anything, or of unknown names; or anything at all. */
function brokenRecord(records: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
  const anything = fc.oneof(
    { weight: 18, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.constant(LONG) },
    { weight: 1, arbitrary: fc.constantFrom(DEEP, JSON.parse('1e999')) },
  );
  const broken = fc
    .tuple(
      fc.constantFrom(...(records.length === 0 ? [{}] : records)),
      fc.array(fc.tuple(fc.nat(), anything), { maxLength: 4 }),
    )
    .map(([record, changes]) => {
      const copy = structuredClone(record) as Record<string, unknown>;
      for (const [at, value] of changes) changeMember(copy, at, value);
      return copy;
    });
  const stranger = fc.dictionary(fc.string(), anything) as fc.Arbitrary<JsonObject>;
  return fc.oneof({ weight: 5, arbitrary: broken }, { weight: 1, arbitrary: stranger });
}

/** Replaces one of all members, at any depth. Undefined takes it out. */
function changeMember(target: Record<string, unknown>, at: number, value: unknown): void {
  const places = placesIn(target);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return;
  if (at % 5 === 0 && !Array.isArray(place.owner)) delete place.owner[place.name];
  else place.owner[place.name] = structuredClone(value);
}

/** Every member of a record, at any depth. */
function placesIn(target: JsonObject): readonly { owner: Record<string, unknown>; name: string }[] {
  const places: { owner: Record<string, unknown>; name: string }[] = [];
  const visit = (owner: Record<string, unknown>): void => {
    for (const [name, member] of Object.entries(owner)) {
      places.push({ owner, name });
      if (typeof member === 'object' && member !== null) visit(member as Record<string, unknown>);
    }
  };
  visit(target as Record<string, unknown>);
  return places;
}

/** Cuts, splices and flips bytes of a file. */
function brokenBytes(): fc.Arbitrary<(bytes: Buffer) => Buffer> {
  const change = fc.tuple(fc.constantFrom('flip', 'cut', 'splice', 'zero'), fc.nat(), fc.nat({ max: 255 }));
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => (original) => {
    let bytes = Buffer.from(original);
    for (const [how, place, value] of changes) {
      const at = place % Math.max(1, bytes.length);
      if (how === 'flip') bytes[at] = value;
      else if (how === 'cut') bytes = bytes.subarray(0, at);
      else if (how === 'zero') bytes.fill(0, at, Math.min(bytes.length, at + value));
      else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + value)]);
    }
    return bytes;
  });
}

/** The record with every hexadecimal id in it changed, as if it came later in a longer session. */
function renamed(record: JsonObject, round: number): JsonObject {
  const mark = round.toString(16).padStart(8, '0');
  return JSON.parse(JSON.stringify(record).replace(/[0-9a-f]{8}(?=-[0-9a-f]{4}-)/g, mark)) as JsonObject;
}

function realFiles(): readonly string[] {
  if (!existsSync(SHARED)) return [];
  const names = readdirSync(SHARED, { recursive: true, encoding: 'utf8' });
  // The fixtures among the new ones were put together by hand to test readers: no program wrote them so.
  return names
    .filter((name) => !name.startsWith('agents-new/fixtures'))
    .map((name) => join(SHARED, name))
    .sort();
}
