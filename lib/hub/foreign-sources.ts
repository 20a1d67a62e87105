// Sessions of other programs, as a sync reads them. Their files are read where they are.
import { formatAddress, parseAddress } from '../agents/address.ts';
import type { Agent, ForeignPosition, Source } from '../agents/agent.ts';
import { readStart } from '../agents/head.ts';
import { insideSource } from '../agents/inside.ts';
import { type ForeignCheckpoint, openForeign } from '../agents/open-foreign.ts';
import { contentOf } from '../agents/session-content.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import type { StoredMark } from '../catalog/copies.ts';
import type { OpenTextSource, ReadContent, SourceFile, TextSource } from '../catalog/text-source.ts';
import type { JsonObject } from '../journal/types.ts';
import { contradictionOf } from './contradiction.ts';
import { type ForeignPorts, type FoundSources, fileOf, isThere, unlistedPaths } from './find-sources.ts';
import type { ListedSources } from './sources.ts';

/** The sessions of a directory that was looked through. */
export function listedSources(agent: Agent, found: FoundSources, ports: ForeignPorts): ListedSources {
  return {
    sources: found.sources.map((source) => textSourceOf(agent, source, found, ports)),
    skipped: found.unreadable.map(({ path, reason }) => ({ address: path, reason })),
    unlisted: unlistedPaths(found),
  };
}

function textSourceOf(agent: Agent, source: Source, found: FoundSources, ports: ForeignPorts): TextSource {
  const { directory, originals } = found;
  const { files } = ports;
  const { id, path, parent } = source;
  const original = originals.get(id);
  const { fileSystem } = files;
  const file = fileOf(agent, source, files);
  return {
    agent: agent.name,
    directory,
    id,
    path,
    file,
    version: String(agent.version),
    parent,
    copyOf: original && {
      id: original.id,
      contradiction: () => contradictionOf(agent, source, { original, files }),
    },
    inside: (key) => textSourceOf(agent, insideSource(source, key), found, ports),
    isThere: () => isThere(fileSystem, path),
    content: () => contentOf(agent, source, files)?.hash,
    asData: isOneFile(agent, source) ? { agent: agent.name, source: source as object as JsonObject } : undefined,
    async open(saved) {
      const opened = openText(agent, source, files, saved as ForeignCheckpoint | undefined);
      return { ...opened, content: () => contentSince(file, opened, () => fileOf(agent, source, files)) };
    },
  };
}

/** The content of a reading. Undefined where only the stamp of its file can show a write, and that has changed. */
function contentSince(
  file: SourceFile | undefined,
  { content }: OpenTextSource,
  fileNow: () => SourceFile | undefined,
): ReadContent | undefined {
  const read = content?.();
  if (read === undefined || read.isCertain) return read;
  const now = fileNow();
  const isSame = now?.inode === file?.inode && now?.size === file?.size && now?.changedNs === file?.changedNs;
  return isSame ? read : undefined;
}

/** Whether nothing but its file is opened to read it. */
function isOneFile(agent: Agent, source: Source): boolean {
  const { kind } = agent.stored(source);
  return kind === 'lines' || kind === 'document';
}

/** A session of another program, open for the index. */
export function openText(
  agent: Agent,
  source: Source,
  files: ForeignPorts['files'],
  from?: ForeignCheckpoint | undefined,
): OpenTextSource {
  const reader = openForeign(agent, source, { ...files, from, notesContent: true });
  let start: ReturnType<typeof readStart> | undefined;
  const started = () => (start ??= readStart(agent, source, files));
  return {
    reader,
    holds: (position) => reader.holds(position as ForeignPosition),
    copied: () => copiedIn(started()),
    // Read only if the program prints a different id from that in the file's name.
    programId: () => source.ownId ?? (agent.startOfId === undefined ? undefined : started().printedId),
    insides: () => (source.inside === undefined ? reader.insides() : []),
    content: () => reader.content(),
    checkpoint: () => reader.checkpoint() as TextSourceCheckpoint,
  };
}

function copiedIn({ forkedFrom, copyMark }: ReturnType<typeof readStart>): ReturnType<OpenTextSource['copied']> {
  const marks: StoredMark[] = [];
  for (let mark = copyMark; mark !== undefined; mark = mark.before) {
    const { from, began, until } = mark;
    const source = parseAddress(from) === undefined ? formatAddress({ agent: OWN_AGENT, id: from }) : from;
    if (until === undefined) continue;
    marks.push({ from: source, began: began === undefined ? undefined : Date.parse(began), until: Date.parse(until) });
  }
  return { forkedFrom, marks };
}

type TextSourceCheckpoint = NonNullable<Parameters<TextSource['open']>[0]> | undefined;
