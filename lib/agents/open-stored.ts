// The file of a source, opened for its records, as the agent stores them.
import type { Source, Stored } from './agent.ts';
import { openSource, type SourceFiles, type SourceHandle } from './open-source.ts';
import { unpacked } from './unpack.ts';

/** @throws OllmError SESSION_NOT_FOUND, IO_FAILED */
export function openStored(
  files: SourceFiles,
  { path }: Source,
  stored: Exclude<Stored, { kind: 'rows' }>,
): SourceHandle {
  const handle = openSource(files, path);
  return stored.kind === 'lines' && stored.packed !== undefined ? unpacked(handle, path) : handle;
}
