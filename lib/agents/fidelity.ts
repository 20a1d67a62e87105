// How much of a source its events say, counted record by record and by type: translated, in part (with the members that
// no event says), kept only in the source, and damaged; and why, or that the reason is that the module does not know
// it. Counted from the source itself, so that it needs no import.
import type { Damage } from '../journal/types.ts';
import { isObject } from '../platform/json.ts';
import type { Agent, JsonObject } from './agent.ts';
import { ELSEWHERE } from './inside.ts';
import { Reasons } from './left-out.ts';
import type { Translation } from './translator.ts';

export interface FidelityReport {
  readonly records: number;
  /** By type: how many records are said whole. */
  readonly translated: Readonly<Record<string, number>>;
  /** By type: how many are said in part, and how often each member was left. */
  readonly inPart: Readonly<
    Record<string, { readonly records: number; readonly left: Readonly<Record<string, number>> }>
  >;
  /** By type: how many say nothing that an event could. */
  readonly kept: Readonly<Record<string, number>>;
  /** Why: each reason with the types (`progress/hook`) and members (`user toolUseResult`) that it is about. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  /** Types and members that remain without a reason, with the number of their records. */
  readonly notUnderstood: Readonly<Record<string, number>>;
  /** The first 100. */
  readonly damaged: readonly Damage[];
  readonly damagedTotal: number;
}

const MAX_DAMAGE = 100;
/** A source with more types or members than that does not get a longer report. */
const MAX_NAMES = 500;
const MAX_NAME_CHARACTERS = 200;
const OTHERS = '…';

type SaidMembers = ReadonlyMap<string, SaidMembers>;

/** Counts as a source is read. */
export class Fidelity {
  readonly #agent: Agent;
  readonly #said = new Map<string, SaidMembers>();
  readonly #translated = new Map<string, number>();
  readonly #inPart = new Map<string, { records: number; left: Map<string, number> }>();
  readonly #kept = new Map<string, number>();
  readonly #damaged: Damage[] = [];
  #records = 0;
  #damagedTotal = 0;

  constructor(agent: Agent) {
    this.#agent = agent;
    for (const [type, paths] of Object.entries(agent.said)) this.#said.set(type, treeOf(paths));
  }

  see(record: JsonObject, { events, left, type = this.#agent.typeOf(record) }: Translation): void {
    if (type === ELSEWHERE) return;
    this.#records += 1;
    const said = this.#said.get(type);
    if (said === undefined && events.length === 0) {
      count(this.#kept, type);
      return;
    }
    const members = [...leftOf(record, said ?? new Map()), ...left];
    if (members.length === 0) {
      count(this.#translated, type);
      return;
    }
    const name = this.#inPart.size < MAX_NAMES || this.#inPart.has(type) ? nameOf(type) : OTHERS;
    const entry = this.#inPart.get(name) ?? { records: 0, left: new Map<string, number>() };
    this.#inPart.set(name, entry);
    entry.records += 1;
    for (const member of new Set(members)) count(entry.left, member);
  }

  seeDamage(damage: Damage): void {
    this.#damagedTotal += 1;
    if (this.#damaged.length < MAX_DAMAGE) this.#damaged.push(damage);
  }

  report(): FidelityReport {
    const inPart = [...this.#inPart].map(
      ([type, { records, left }]) => [type, { records, left: sorted(left) }] as const,
    );
    return {
      records: this.#records,
      translated: sorted(this.#translated),
      inPart: sorted(inPart),
      kept: sorted(this.#kept),
      ...this.#why(),
      damaged: this.#damaged,
      damagedTotal: this.#damagedTotal,
    };
  }

  #why(): Pick<FidelityReport, 'leftOut' | 'notUnderstood'> {
    const reasons = new Reasons(this.#agent.leftOut);
    const leftOut = new Map<string, string[]>();
    const notUnderstood = new Map<string, number>();
    for (const [type, member, records] of this.#left()) {
      const name = member === undefined ? type : `${type} ${member}`;
      const reason = reasons.of(type, member);
      if (reason === undefined) notUnderstood.set(name, records);
      else leftOut.set(reason, [...(leftOut.get(reason) ?? []), name].sort());
    }
    return { leftOut: sorted(leftOut), notUnderstood: sorted(notUnderstood) };
  }

  *#left(): Generator<Left> {
    for (const [type, records] of this.#kept) yield [type, undefined, records];
    for (const [type, { left }] of this.#inPart) for (const [member, records] of left) yield [type, member, records];
  }
}

/** A remaining part of the records: the type, the member unless it is the whole record, and the number of records. */
type Left = readonly [type: string, member: string | undefined, records: number];

/** The members of a record that the tree of said paths does not cover, and that hold something. */
function* leftOf(value: JsonObject, said: SaidMembers, above = ''): Generator<string> {
  for (const [name, member] of Object.entries(value)) {
    if (isNothing(member)) continue;
    const below = said.get(name);
    const path = `${above}${name}`;
    if (below?.size === 0) continue;
    if (below === undefined || !isObject(member)) yield path;
    else yield* leftOf(member, below, `${path}.`);
  }
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function treeOf(paths: readonly string[]): SaidMembers {
  const tree = new Map<string, Map<string, SaidMembers>>();
  for (const path of paths) {
    let here = tree as Map<string, SaidMembers>;
    for (const name of path.split('.')) {
      const below = (here.get(name) ?? new Map()) as Map<string, SaidMembers>;
      here.set(name, below);
      here = below;
    }
  }
  return tree;
}

function count(counts: Map<string, number>, full: string): void {
  const short = nameOf(full);
  const name = counts.has(short) || counts.size < MAX_NAMES ? short : OTHERS;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function nameOf(text: string): string {
  return text.slice(0, MAX_NAME_CHARACTERS);
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}
