// From records to events of a session: what an agent's module says of each record, with the number, time and place that
// every event has. Pure: the same records give the same events, however they are divided among readings, and a
// checkpoint between any two of them continues as if nothing had been between.
import { messageOf } from '../errors/index.ts';
import type { EventData } from '../events/index.ts';
import { NO_TIME } from '../events/time-of.ts';
import { FORMAT } from '../journal/format.ts';
import type { Damage } from '../journal/types.ts';
import { VERSION } from '../version.ts';
import { withoutTitle } from './about.ts';
import { formatAddress, idInAddress, importedId } from './address.ts';
import type { Agent, ForeignEvent, JsonObject, RecordFacts, SessionBeginning, Source } from './agent.ts';
import { type AgentEvent, type AgentState, Given } from './given.ts';
import { defined } from './members.ts';
import { timeOf } from './times.ts';

/** The memory between two records. Plain JSON. */
export interface TranslatorState {
  /** The seq of the next event. */
  seq: number;
  /** RFC 3339: of the last event. */
  ts: string;
  /** The module's own. */
  state: AgentState;
}

/** A record, and where it is in its source. */
interface PlacedRecord {
  readonly record: JsonObject;
  /** Bytes. */
  readonly position: number;
  readonly length: number;
}

/** What a module says of a record. */
export type Translation = RecordFacts & Pick<Given<AgentState>, 'events' | 'left'>;

interface Translated {
  readonly events: readonly ForeignEvent[];
  readonly translation: Translation;
  /** The module failed on the record: a fault in the module, which costs only this record. */
  readonly damage?: Damage | undefined;
}

export class Translator {
  readonly #agent: Agent;
  readonly #source: Source;
  readonly #generation: number;
  readonly #now: TranslatorState;

  constructor(agent: Agent, source: Source, generation: number, saved?: TranslatorState) {
    this.#agent = agent;
    this.#source = source;
    this.#generation = generation;
    const begun: TranslatorState = { seq: 0, ts: timeOf(source.startedAt) ?? NO_TIME, state: agent.initial(source) };
    const { state, ...now } = structuredClone(saved ?? begun);
    // An earlier version may have saved fewer members.
    this.#now = { ...now, state: { ...begun.state, ...state } };
  }

  get seq(): number {
    return this.#now.seq;
  }

  save(): TranslatorState {
    const now = structuredClone(this.#now);
    // Before the first event, the title belongs to the beginning of the session.
    return now.seq === 0 ? now : { ...now, state: withoutTitle(now.state) };
  }

  translate(placed: PlacedRecord): Translated {
    const now = this.#now;
    const { record, position, length } = placed;
    let damage: Damage | undefined;
    const seeFault = (error: unknown) => {
      const reason = `The record could not be translated: ${messageOf(error)}`;
      damage = { kind: 'not-json', offset: position, length, line: 0, reason };
    };
    const given = new Given(now.state, Math.max(1, now.seq));
    let facts: RecordFacts = {};
    try {
      facts = this.#agent.translate(record, given);
    } catch (error) {
      seeFault(error);
      given.events.length = 0;
    }
    const { events, left } = given;
    const { record: key, at } = facts;
    const translation = { ...facts, events, left };
    if (events.length === 0) return { events: [], translation, damage };
    const time = timeOf(at);
    if (time !== undefined && time > now.ts) now.ts = time;
    const origin = key === undefined ? { position, length } : { record: key, position, length };
    const known = time ?? (now.ts === NO_TIME ? undefined : now.ts);
    const made: ForeignEvent[] = now.seq === 0 ? [this.#created(record, { at: known, seeFault })] : [];
    for (const event of events) made.push(this.#event(event, { time: known, origin }));
    return { events: made, translation, damage };
  }

  #created(
    record: JsonObject,
    { at, seeFault }: { readonly at: string | undefined; readonly seeFault: (error: unknown) => void },
  ): ForeignEvent {
    const { agent, id, path } = this.#source;
    let beginning: SessionBeginning = {};
    try {
      const { state } = this.#now;
      beginning = { ...(state as SessionBeginning), ...this.#agent.begin?.(record, state) };
    } catch (error) {
      seeFault(error);
    }
    const { model = '', provider = '', title, cwd, forkedFrom } = beginning;
    const parent = forkedFrom ? formatAddress({ agent, id: idInAddress(forkedFrom) }) : undefined;
    const data: EventData<'session.created'> = {
      format: FORMAT,
      sessionId: importedId(agent, id),
      model,
      provider,
      ollm: VERSION,
      ...defined({ title: title || undefined, cwd: cwd || undefined, git: gitOf(beginning) }),
      origin: { agent, path, sessionId: id, address: formatAddress({ agent, id }), ...defined({ parent }) },
      ...defined({ at }),
    };
    return this.#placed('session.created', data);
  }

  #event(
    { type, data, attachments, turn }: AgentEvent,
    { time, origin }: { readonly time: string | undefined; readonly origin: object },
  ): ForeignEvent {
    // The module made the data only for this event.
    const own = data as { at?: string; origin?: object };
    const at = timeOf(own.at) ?? time;
    if (at === undefined) delete own.at;
    else own.at = at;
    own.origin = origin;
    return this.#placed(type, own, { turn, attachments });
  }

  #placed(type: string, data: object, more: Pick<ForeignEvent, 'turn' | 'attachments'> = {}): ForeignEvent {
    const { seq, ts } = this.#now;
    this.#now.seq += 1;
    const position = { seq, generation: this.#generation };
    const event: { -readonly [Member in keyof ForeignEvent]: ForeignEvent[Member] } = {
      seq,
      ts,
      type,
      data: data as JsonObject,
      position,
    };
    if (more.turn !== undefined) event.turn = more.turn;
    if (more.attachments !== undefined) event.attachments = more.attachments;
    return event;
  }
}

function gitOf({ branch, commit, remote }: SessionBeginning): EventData<'session.created'>['git'] {
  const known = defined({
    branch: branch || undefined,
    commit: commit || undefined,
    remote: remote || undefined,
  });
  return Object.keys(known).length === 0 ? undefined : known;
}
