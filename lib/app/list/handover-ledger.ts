// The ledger of handovers to other programs: $OLLM_HOME/handovers.jsonl, a line for each. It is on the device before
// the file gets its name, so that each file that ollm wrote in the place of a program is known. A line without its file
// is of a handover that never came to an end, or its file was removed since.
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import { parseObject } from '../../platform/json.ts';
import type { App } from '../app.ts';
import { linesInHome } from './lines-in-home.ts';

/** A file that was written for another program. */
export interface HandoverNote {
  /** RFC 3339: when it was written. */
  readonly at: string;
  /** Address of the source, or its id where it is one of ollm. */
  readonly from: string;
  /** How far the source was read: see `CarriedConversation`. */
  readonly generation: number;
  readonly seq: number;
  /** The program. */
  readonly to: string;
  /** Address of the new session. */
  readonly address: string;
  readonly path: string;
  /** Hash of the file as it was written. */
  readonly sha256: string;
  readonly bytes: number;
  readonly texts: number;
  readonly calls: number;
}

type Ports = Pick<App, 'fileSystem' | 'ids' | 'paths'>;

const NAME = 'handovers.jsonl';
const MAX_NOTES = 10_000;

/** The oldest first. Damaged lines are left out; without the file the list is empty. */
export function handoverNotes(place: Pick<Ports, 'fileSystem' | 'paths'>): readonly HandoverNote[] {
  return linesInHome(place, NAME).flatMap((line) => noteIn(line) ?? []);
}

/**
 * Resolves when the line is on the device. The oldest go beyond 10,000.
 *
 * @throws OllmError IO_FAILED
 */
export async function noteHandover({ fileSystem, ids, paths }: Ports, note: HandoverNote): Promise<void> {
  const path = join(paths.home, NAME);
  const withNote = () => {
    const notes = [...handoverNotes({ fileSystem, paths }), note].slice(-MAX_NOTES);
    return notes.map((each) => `${JSON.stringify(each)}\n`).join('');
  };
  try {
    await changeContent({ path, fileSystem, ids }, withNote, { isSynced: true });
    await fileSystem.syncDirectory(paths.home);
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === undefined) throw cause;
    throw new OllmError('IO_FAILED', `${path} cannot be written: ${code}. Nothing was handed over.`, { cause });
  }
}

function noteIn(line: string): HandoverNote | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  const texts = ['at', 'from', 'to', 'address', 'path', 'sha256'].every((name) => typeof value[name] === 'string');
  const numbers = ['generation', 'seq', 'bytes', 'texts', 'calls'].every((name) => Number.isFinite(value[name]));
  return texts && numbers ? (value as unknown as HandoverNote) : undefined;
}
