// Which sessions are copies of one, and of which one it is a copy: by the list of handovers of this home, and by the
// files of copies that were made elsewhere.
import { formatAddress, parseAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { type CopyOf, knownCopies } from '../../catalog/copies.ts';
import { INTRODUCTION } from '../../handover/item.ts';
import type { App } from '../app.ts';
import { handoverNotes } from './handover-ledger.ts';
import type { SessionRow } from './session-row.ts';

export interface HandoverCopies {
  /** Address of the session that it was handed over from; the id where that is one of ollm. */
  readonly handedFrom?: string | undefined;
  /** Addresses of those that it was handed over to, the newest first, whose files are there. */
  readonly handedTo?: readonly string[] | undefined;
}

/**
 * @internal
 * `name`: the address of a session, or the id of one of ollm. Members are absent where there is nothing to say.
 */
export async function copiesOf(app: CopyPorts, name: string): Promise<HandoverCopies> {
  const copies = await allCopies(app);
  const own = addressOf(name);
  const notes = handoverNotes(app);
  const origin = notes.findLast(({ address }) => address === name);
  const isThere = ({ path }: { readonly path: string }) => app.fileSystem.stat(path) !== undefined;
  const to = notes.filter(({ from }) => from === name).filter(isThere);
  const listed = new Set(notes.map(({ address }) => address));
  const marked = [...copies].flatMap(([address, { from }]) => (from === own && !listed.has(address) ? [address] : []));
  const addresses = [...new Set([...marked, ...to.map(({ address }) => address)])].toReversed();
  const from = origin?.from ?? copies.get(own)?.from;
  return {
    ...(from === undefined ? {} : { handedFrom: from.replace(`${OWN_AGENT}:`, '') }),
    ...(addresses.length === 0 ? {} : { handedTo: addresses }),
  };
}

/** @internal */
type CopyPorts = Pick<App, 'fileSystem' | 'paths' | 'catalog'>;

/** A copy, with the size of its file as it was written, where this home wrote it. */
interface HandedCopy extends CopyOf {
  readonly bytes?: number | undefined;
}

/** @internal The copies that this home wrote, and those in the catalogue whose files name their source. By address. */
export async function allCopies(app: CopyPorts): Promise<ReadonlyMap<string, HandedCopy>> {
  const listed = handedCopies(app);
  const outcome = await app.catalog.ask((database) => knownCopies(database, listed));
  return outcome.kind === 'done' ? outcome.value : listed;
}

/** @internal The sessions that this home handed over, by address. Their events from before that moment are copies. */
export function handedCopies(app: Pick<App, 'fileSystem' | 'paths'>): ReadonlyMap<string, HandedCopy> {
  return new Map(
    handoverNotes(app).map(({ address, from, at, bytes }) => [
      address,
      {
        from: addressOf(from),
        untilMs: Date.parse(at),
        bytes,
      },
    ]),
  );
}

/** The name may be the id of a session of ollm. */
function addressOf(name: string): string {
  return parseAddress(name) === undefined ? formatAddress({ agent: OWN_AGENT, id: name }) : name;
}

/**
 * Rows that name the source of each copy, which has the title of its source unless it has one of its own.
 * `withUnchanged: false` leaves out those copies in which nothing happened since they were written, where their source
 * is among the rows.
 */
export function withSources(
  rows: readonly SessionRow[],
  copies: ReadonlyMap<string, HandedCopy>,
  { withUnchanged }: { readonly withUnchanged: boolean },
): SessionRow[] {
  if (copies.size === 0) return [...rows];
  const byAddress = new Map(rows.map((row) => [row.address, row]));
  return rows.flatMap((row) => {
    const copy = copies.get(row.address);
    if (copy === undefined) return [row];
    const isLeftOut = !withUnchanged && byAddress.has(copy.from) && !isContinued(row, copy);
    const named = row.title?.startsWith(INTRODUCTION) ? (byAddress.get(copy.from)?.title ?? row.title) : row.title;
    return isLeftOut ? [] : [{ ...row, title: named, copyOf: copy.from, continued: isContinued(row, copy) }];
  });
}

/** The time of its file is that of its writing, until the program appends to it. */
function isContinued({ bytes, lastActivity = '' }: SessionRow, copy: HandedCopy): boolean {
  return bytes !== copy.bytes && Date.parse(lastActivity) > copy.untilMs;
}
