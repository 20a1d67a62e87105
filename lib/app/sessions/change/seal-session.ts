// `ollm seal ID`: signs the head of a journal. Later events are under no seal until the next one.
import { dirname } from 'node:path';
import { OllmError } from '../../../errors/index.ts';
import { storePaths } from '../../../journal/paths.ts';
import { headToSeal } from '../../../seals/check-seals.ts';
import { appendSeal, readSeals } from '../../../seals/seals-file.ts';
import { fingerprintOf, publicKeyText } from '../../../seals/ssh-key.ts';
import { checkSignature } from '../../../seals/ssh-signature.ts';
import { parseStatement, SEAL_NAMESPACE, type SealStatement, statementText } from '../../../seals/statement.ts';
import type { App } from '../../app.ts';
import { readJournal } from '../../journals/read-journal.ts';
import type { Sign } from './signing-key.ts';

/** A journal that was sealed, or that this key had sealed before with nothing added since. */
export interface SealedJournal {
  readonly statement: SealStatement;
  /** Fingerprint of the key, as `ssh-keygen -l` prints it. */
  readonly key: string;
  /** The key as a line of a list of allowed signers has it, without the name. */
  readonly publicKey: string;
  /** Path of the file of seals. */
  readonly path: string;
  /** Whether a seal was added. */
  readonly added: boolean;
}

type Stored = Pick<App, 'store' | 'servers' | 'fileSystem' | 'clock' | 'paths'>;

/**
 * Where the seals of a session are.
 * @throws OllmError USAGE, where the sessions are not files
 */
export function sealsPath({ servers, paths, store }: Pick<App, 'servers' | 'paths' | 'store'>, id: string): string {
  if (servers === undefined) return storePaths(paths.sessions).seals(id);
  throw new OllmError('USAGE', `The sessions are at ${store.location}: a seal signs a file.`, {
    hint: `"ollm export ${id} --format jsonl" writes the journal as a file; sign that with "ssh-keygen -Y sign".`,
  });
}

/**
 * Signs the journal's current content, also while another process writes to it, and adds the seal to `<id>.seals`.
 * The signed bytes are on the device before that.
 *
 * @throws OllmError JOURNAL_DAMAGED, JOURNAL_EMPTY, SIGNING_FAILED, USAGE; IO_FAILED where the seal cannot be stored
 */
export async function sealSession(app: Stored, id: string, sign: Sign, signal?: AbortSignal): Promise<SealedJournal> {
  const path = sealsPath(app, id);
  const { head, journal } = await readJournal(app.store, id, async (reader) => ({
    head: await headToSeal(reader, id, signal),
    journal: reader.path,
  }));
  await syncFile(app, journal);
  const statement = { session: id, ...head, sealed: new Date(app.clock.now()).toISOString() };
  const message = statementText(statement);
  const signature = await sign(message);
  const check = checkSignature(signature, { message, namespace: SEAL_NAMESPACE });
  if (check.kind === 'wrong' || check.kind === 'unreadable') {
    throw new OllmError('SIGNING_FAILED', 'What the key signed is not the statement: nothing was stored.', {
      data: { id },
    });
  }
  const key = fingerprintOf(check.key);
  const sealed = { statement, key, publicKey: publicKeyText(check.key), path };
  const before = lastSealBy(app, path, key);
  if (before?.sha256 === statement.sha256) return { ...sealed, statement: before, added: false };
  await storing(path, () =>
    appendSeal(app.fileSystem, { path, directory: dirname(path) }, { statement: message, signature }),
  );
  return { ...sealed, added: true };
}

/** The writer may have left its last events to the system. */
async function syncFile({ fileSystem }: Pick<App, 'fileSystem'>, path: string): Promise<void> {
  await storing(path, async () => {
    using handle = fileSystem.open(path, 'read');
    await handle.dataSync();
  });
}

async function storing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OllmError('IO_FAILED', `The seal cannot be stored beside ${path}: ${reason}.`, {
      cause: error,
      data: { path },
    });
  }
}

function lastSealBy({ fileSystem }: Pick<App, 'fileSystem'>, path: string, key: string): SealStatement | undefined {
  for (const line of readSeals(fileSystem, path).reverse()) {
    if (line.kind === 'unreadable') continue;
    const { statement: message, signature } = line;
    const check = checkSignature(signature, { message, namespace: SEAL_NAMESPACE });
    if (check.kind !== 'unreadable' && fingerprintOf(check.key) === key) return parseStatement(message);
  }
  return undefined;
}
