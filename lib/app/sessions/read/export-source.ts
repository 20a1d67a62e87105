// `ollm export ID --format source`: the file of another program's session as it is there, or as its import kept it. So
// a session that its program lost can be given back to it. No byte is changed: nothing is redacted, and no part left
// out.
import { importedId } from '../../../agents/address.ts';
import type { Agent, Source } from '../../../agents/agent.ts';
import { partsOfInside } from '../../../agents/inside.ts';
import { bytesOf, type KeptAs, keptAs } from '../../../agents/kept.ts';
import { isAgentName, loadAgent } from '../../../agents/registry.ts';
import { formatBytes } from '../../../display/quantities.ts';
import { OllmError } from '../../../errors/index.ts';
import { givenBack, type KeptPart, keptParts } from '../../../hub/kept-bytes.ts';
import type { JournalReader } from '../../../journal/types.ts';
import { firstEvent } from '../../../session/fork.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';
import { requireWhole } from '../../find/found.ts';
import { foreignPorts } from '../../start/foreign-ports.ts';
import { generationsOf } from './kept-sources.ts';

/** The source of a session under way. */
export interface SourceExport {
  /** The id of the import, or the address. */
  readonly id: string;
  /** To be pulled once. Throws after the last byte if the kept bytes differ from those that were read. */
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
  readonly keptAs: KeptAs;
  /** The program, as its maker writes it, and where it keeps or kept the session. */
  readonly agentTitle: string;
  readonly path: string;
  /** Whether the store keeps it encrypted, and these bytes are not. */
  readonly inTheClear: boolean;
}

interface SourceExportOptions extends ReadingOptions {
  /** An earlier state of the source, as the import kept it. */
  readonly generation?: number | undefined;
}

/**
 * The bytes of a session of another program: of its own file while that is there, else of the import. `imported`, and
 * where a generation is named: of the import only.
 *
 * @example
 * const { chunks } = await exportSource(app, 'claude:5f3c');
 * for await (const chunk of chunks) process.stdout.write(chunk);
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, USAGE (a session of ollm, or a single message), IO_FAILED
 */
export async function exportSource(
  app: App,
  reference: string,
  { imported, generation }: SourceExportOptions = {},
): Promise<SourceExport> {
  const found = await findConversation(app, reference, { imported: imported || generation !== undefined });
  requireWhole(found, 'A source is given as a whole');
  if (found.kind === 'own') return ofImport(app, found.id, { reader: await found.open(), generation });
  const { id, source, agentTitle } = found;
  const agent = await loadAgent(source.agent);
  const chunks = chunksOf(agent, source, app);
  return { id, chunks, keptAs: keptAs(agent, source), agentTitle, path: source.path, inTheClear: false };
}

async function* chunksOf(agent: Agent, source: Source, app: App): AsyncGenerator<Uint8Array, void, void> {
  yield* bytesOf(agent, source, foreignPorts(app).files);
}

/** The records of a subagent inside a file are kept with those of the session of the file. */
async function partsOfSource({ store }: App, source: Source, reader: JournalReader): Promise<KeptPart[]> {
  const inside = partsOfInside(source.id);
  const parent = inside && importedId(source.agent, inside.parent);
  if (parent === undefined || !(await store.has(parent))) return await keptParts(reader);
  using ofParent = store.openReader(parent);
  return await keptParts(ofParent);
}

async function ofImport(
  app: App,
  id: string,
  { reader, generation }: { readonly reader: JournalReader; readonly generation: number | undefined },
): Promise<SourceExport> {
  using journal = reader;
  const { imported, origin, encryption } = (await firstEvent(journal)).data;
  const { agent: name, sessionId, path } = (origin ?? {}) as { readonly [Member in string]?: unknown };
  if (imported !== true || typeof name !== 'string' || !isAgentName(name)) {
    throw new OllmError('USAGE', `Session ${id} is not an import: no other program has a file of it.`, {
      hint: '--format jsonl gives the lines of its journal, byte for byte.',
      data: { id },
    });
  }
  const agent = await loadAgent(name);
  const source: Source = { agent: name, id: String(sessionId), path: String(path) };
  const parts = await partsOfSource(app, source, journal);
  const generations = generationsOf(parts);
  if (generation !== undefined && !generations.some((each) => each.generation === generation)) {
    const known = generations.map((each) => `${each.generation} (${formatBytes(each.bytes)})`).join(', ');
    throw new OllmError('USAGE', `The import ${id} has no generation ${generation} of its source.`, {
      hint: known === '' ? 'It kept none.' : `It has ${known}.`,
      data: { id, generations },
    });
  }
  return {
    id,
    chunks: givenBack(app.store, parts, generation),
    // The path does not always tell the kind of the database.
    keptAs: parts.at(-1)?.form === 'rows' ? 'records' : keptAs(agent, source),
    agentTitle: agent.title,
    path: source.path,
    inTheClear: encryption !== undefined,
  };
}
