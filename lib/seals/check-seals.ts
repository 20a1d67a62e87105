// What a journal is when it is sealed, and whether the seals of a journal still hold: in one reading of its lines, as
// they are stored.
import { createHash } from 'node:crypto';
import { OllmError } from '../errors/index.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { KnownEvent } from '../journal/reading/survey.ts';
import type { JournalReader, StoredEvent } from '../journal/types.ts';
import type { AllowedSigner } from './allowed-signers.ts';
import type { SealLine } from './seals-file.ts';
import { fingerprintOf } from './ssh-key.ts';
import { checkSignature } from './ssh-signature.ts';
import { parseStatement, SEAL_NAMESPACE, type SealStatement } from './statement.ts';

/** A seal and whether it holds. */
interface CheckedSeal {
  /** Line of `<id>.seals`, from 1. */
  readonly number: number;
  readonly statement: SealStatement | undefined;
  /** Fingerprint of the key that signed. */
  readonly key: string | undefined;
  /** Whose key it is, by the list of allowed signers. Undefined without a list, and for a key that is not in it. */
  readonly signer: string | undefined;
  /** Why it does not hold, as a sentence; undefined if it does. */
  readonly problem: string | undefined;
  /** The key is not among the allowed signers: the seal neither counts nor is a fault. */
  readonly stranger?: true;
}

/** The seals of a journal, checked. */
export interface SealReport {
  readonly seals: readonly CheckedSeal[];
  /** seq of the last event that a seal which holds covers; undefined if none does. */
  readonly through: number | undefined;
  /** seq of the last event of the journal; undefined if it has none. */
  readonly last: number | undefined;
}

interface CheckOptions {
  readonly session: string;
  /** Who may sign. Default: any key counts, and nothing is known of whose it is. */
  readonly signers?: readonly AllowedSigner[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Lines = Pick<JournalReader, 'outcomes' | 'sealed'>;
type Head = Omit<SealStatement, 'session' | 'sealed'>;

/** The head of a journal to sign. @throws OllmError JOURNAL_DAMAGED, JOURNAL_EMPTY */
export async function headToSeal(lines: Lines, session: string, signal?: AbortSignal): Promise<Head> {
  const { head, events, damage } = await prefixes(lines, { at: () => false, signal });
  if (damage !== undefined) {
    throw new OllmError(
      'JOURNAL_DAMAGED',
      `Journal ${session} is damaged at byte ${damage}: a seal would confirm that.`,
      {
        hint: `"ollm verify ${session}" states what is damaged, and "ollm repair ${session}" writes a whole journal.`,
        data: { id: session, offset: damage },
      },
    );
  }
  if (head === undefined) {
    throw new OllmError('JOURNAL_EMPTY', `Journal ${session} has no event to seal.`, { data: { id: session } });
  }
  return { events, through: head.seq, checksum: head.xxh64, bytes: head.end, sha256: head.sha256 };
}

/** Checks each seal: its signature, whose it is, and the bytes that it signed. */
export async function checkSeals(
  seals: readonly SealLine[],
  lines: Lines,
  { session, signers, signal }: CheckOptions,
): Promise<SealReport> {
  const signed = seals.map((seal) => checkSigned(seal, { session, signers }));
  const ends = new Set(signed.map(({ statement }) => statement?.bytes));
  const { head, at } = await prefixes(lines, { at: (end) => ends.has(end), signal });
  const checked = signed.map((seal) => ({
    ...seal,
    problem: seal.problem ?? contentProblem(seal.statement, head, at),
  }));
  const covered = checked.flatMap(({ problem, statement }) =>
    problem === undefined ? (statement?.through ?? []) : [],
  );
  return { seals: checked, through: covered.length === 0 ? undefined : Math.max(...covered), last: head?.seq };
}

interface Prefix extends KnownEvent {
  readonly sha256: string;
}

/** Hashes of the beginning of a journal, up to its end and up to each line whose end `at` names. */
async function prefixes(
  lines: Lines,
  { at, signal }: { readonly at: (end: number) => boolean; readonly signal?: AbortSignal | undefined },
) {
  const reader = (await lines.sealed()) ?? lines;
  const hash = createHash('sha256');
  const found = new Map<number, Prefix>();
  let head: Omit<Prefix, 'sha256'> | undefined;
  let damage: number | undefined;
  let events = 0;
  await everyOutcome(reader.outcomes({ signal }), (outcome) => {
    if (outcome.kind === 'damage') {
      damage ??= outcome.damage.offset;
      return;
    }
    const { seq, xxh64, end } = outcome.event;
    events += 1;
    head = { seq, xxh64, end };
    // After damage the bytes before are not known: no seal beyond it can be confirmed.
    if (damage !== undefined) return;
    addLine(hash, outcome.event);
    if (at(end)) found.set(end, { seq, xxh64, end, sha256: hash.copy().digest('hex') });
  });
  return { head: head && { ...head, sha256: hash.digest('hex') }, at: found, events, damage };
}

function addLine(hash: ReturnType<typeof createHash>, { raw }: StoredEvent): void {
  hash.update(raw).update('\n');
}

function checkSigned(line: SealLine, { session, signers }: CheckOptions): CheckedSeal {
  const { number } = line;
  const unknown = { number, statement: undefined, key: undefined, signer: undefined };
  if (line.kind === 'unreadable') return { ...unknown, problem: 'It cannot be read.' };
  const check = checkSignature(line.signature, { message: line.statement, namespace: SEAL_NAMESPACE });
  if (check.kind === 'unreadable') return { ...unknown, problem: `Its signature cannot be read: ${check.reason}.` };
  const key = fingerprintOf(check.key);
  const statement = parseStatement(line.statement);
  const signer = signers && statement && nameOf(signers, key, Date.parse(statement.sealed));
  const checked = { number, statement, key, signer, problem: undefined };
  if (check.kind === 'wrong') return { ...checked, problem: 'Its signature is not that of its text.' };
  if (check.kind === 'unknown-key') {
    return { ...checked, problem: 'Keys of its kind are checked by "ssh-keygen -Y verify" only.' };
  }
  if (statement === undefined) return { ...checked, problem: 'What was signed is no statement of a seal.' };
  if (statement.session !== session) return { ...checked, problem: `It is of session ${statement.session}.` };
  if (signers && signer === undefined) {
    return { ...checked, problem: 'Its key is not among the allowed signers.', stranger: true };
  }
  return checked;
}

function nameOf(signers: readonly AllowedSigner[], key: string, sealedMs: number): string | undefined {
  const isAllowed = ({ fingerprint, afterMs, beforeMs }: AllowedSigner): boolean =>
    fingerprint === key && afterMs <= sealedMs && sealedMs < beforeMs;
  return signers.find(isAllowed)?.principals;
}

function contentProblem(
  statement: SealStatement | undefined,
  head: Prefix | undefined,
  at: ReadonlyMap<number, Prefix>,
): string | undefined {
  if (statement === undefined) return undefined;
  const { bytes, through, checksum, sha256 } = statement;
  const prefix = at.get(bytes);
  if (prefix?.sha256 === sha256 && prefix.seq === through && prefix.xxh64 === checksum) return undefined;
  if (head === undefined || head.end < bytes) {
    const end = head === undefined ? 'has no event' : `ends at event ${head.seq}, byte ${head.end}`;
    return `The journal was cut: it ${end}, and up to event ${through}, byte ${bytes}, it was signed.`;
  }
  return `The journal was rewritten: its first ${bytes} bytes, up to event ${through}, are not those that were signed.`;
}
