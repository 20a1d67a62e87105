// The file of a source, opened for its records, as the agent stores them.
import type { Source, SourceForm } from './agent.ts';
import { openSource, type SourceFiles, type SourceHandle } from './open-source.ts';
import { unpacked, unpackedBeginning } from './unpack.ts';

/** @throws OllmError SESSION_NOT_FOUND, IO_FAILED */
export function openStored(
  files: SourceFiles,
  { path }: Source,
  stored: Exclude<SourceForm, { kind: 'rows' }>,
): SourceHandle {
  const handle = openSource(files, path);
  return stored.kind === 'lines' && stored.packed !== undefined ? unpacked(handle, path) : handle;
}

/**
 * Opens a source for its head: only the beginning of a long packed file, `isCut`.
 * @throws OllmError SESSION_NOT_FOUND, IO_FAILED
 */
export function openForHead(
  files: SourceFiles,
  { path }: Source,
  stored: Exclude<SourceForm, { kind: 'rows' }>,
): { readonly handle: SourceHandle; readonly isCut: boolean } {
  const handle = openSource(files, path);
  const isPacked = stored.kind === 'lines' && stored.packed !== undefined;
  return isPacked ? unpackedBeginning(handle, path) : { handle, isCut: false };
}
