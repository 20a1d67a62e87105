// `ollm import`: sessions of other programs, copied into journals of ollm's own together with their sources.
import { resolve } from 'node:path';
import { AGENT_NAMES } from '../../agents/registry.ts';
import { isClean } from '../../environment/redact-value.ts';
import { OllmError } from '../../errors/index.ts';
import { type FoundSource, type ImportReport, type ImportRequest, importSessions } from '../../hub/import.ts';
import type { ImportedSession } from '../../hub/import-session.ts';
import { sourceInFile, sourcesOf, type WishedSources } from '../../hub/import-sources.ts';
import { firstEvent } from '../../session/fork.ts';
import type { App } from '../app.ts';
import { findForeign } from '../find/find-foreign.ts';
import { foreignAddress } from '../find/find-session.ts';
import { hubJournal } from '../journals/hub-journal.ts';
import { readJournal } from '../journals/read-journal.ts';
import { foreignTitles, hiddenSessions, hideSession } from '../list/foreign-notes.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

interface ImportWish extends Pick<ImportRequest, 'again' | 'report' | 'signal' | 'onProgress' | 'onSession'> {
  /** `agent:id`. */
  readonly addresses?: readonly string[] | undefined;
  /** All sessions of this one; with `file`, whose it is. */
  readonly agent?: string | undefined;
  /** All sessions of all agents. */
  readonly all?: boolean | undefined;
  /** A transcript anywhere. */
  readonly file?: string | undefined;
}

/**
 * @example
 * const { imported, skipped } = await importForeign(app, { addresses: ['claude:5f3c'] });
 * @throws OllmError USAGE, SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_FULL, JOURNAL_READ_ONLY, INTERRUPTED
 */
export async function importForeign(app: App, wish: ImportWish): Promise<ImportReport> {
  const { sources, skipped, areNamed } = await sourcesFor(app, wish);
  const { again, report: reports, signal, onProgress, onSession } = wish;
  const sessions: ImportedSession[] = [];
  const report = await importSessions({
    ...(await importSettings(app)),
    ...{ again, report: reports, signal, onProgress, sources, areNamed },
    onSession(session) {
      sessions.push(session);
      onSession?.(session);
    },
  });
  // Named sessions are unhidden.
  if (areNamed) for (const { address } of sessions) await hideSession(app, address, false);
  const failure = areNamed && sources.length === 1 ? report.skipped[0] : undefined;
  if (failure !== undefined) throw new OllmError('IO_FAILED', `${failure.address}: ${failure.reason}`);
  return { ...report, skipped: [...skipped, ...report.skipped] };
}

type ImportSettings = Pick<
  ImportRequest,
  'store' | 'files' | 'keepsSource' | 'keepsOutputs' | 'mayStore' | 'hub' | 'hidden' | 'titles'
>;

/** The settings of imports, for any sessions. */
export async function importSettings(app: App): Promise<ImportSettings> {
  const { store, config } = app;
  const redact = await app.redactor();
  return {
    store,
    files: foreignPorts(app).files,
    keepsSource: !config.hub.redact,
    keepsOutputs: config.retention.storeToolOutputs,
    mayStore: (value) => isClean(value, (text) => redact(text).text),
    hub: hubJournal(app),
    hidden: () => hiddenSessions(app),
    titles: () => foreignTitles(app),
  };
}

async function sourcesFor(
  app: App,
  { addresses = [], agent, all, file }: ImportWish,
): Promise<Pick<WishedSources, 'sources' | 'skipped'> & { readonly areNamed: boolean }> {
  const ports = foreignPorts(app);
  if (addresses.length > 0 && (all || agent !== undefined || file !== undefined)) {
    throw new OllmError('USAGE', 'Addresses do not go together with --all, --agent and --file.', {
      hint: 'Import what you name, or all there is, one after the other.',
    });
  }
  if (file !== undefined) {
    const source = await sourceInFile(resolve(app.cwd, file), agent, ports);
    return { sources: [source], skipped: [], areNamed: true };
  }
  if (addresses.length > 0) {
    const sources: FoundSource[] = [];
    for (const text of addresses) sources.push(await sourceAt(app, text));
    return { sources, skipped: [], areNamed: true };
  }
  if (!all && agent === undefined) {
    throw new OllmError('USAGE', 'It is not said which sessions are to be imported.', {
      hint: 'Name some by their addresses, or use --agent, --all or --file.',
    });
  }
  return { ...(await sourcesOf(agent === undefined ? undefined : [agent], ports)), areNamed: false };
}

/** A session whose source is gone is found by its import. */
async function sourceAt(app: App, text: string): Promise<FoundSource> {
  const address = foreignAddress(text);
  if (address === undefined) {
    throw new OllmError('USAGE', `${JSON.stringify(text)} is not the address of a session of another program.`, {
      hint: `An address is agent:id. The agents are: ${AGENT_NAMES.join(', ')}.`,
      data: { reference: text },
    });
  }
  const { agent, id, source, importId } = await findForeign(app, address);
  if (source !== undefined) return { agent, source };
  const { origin, cwd } = (await readJournal(app.store, importId!, firstEvent)).data;
  const path = String((origin as { path?: unknown } | undefined)?.path);
  // Facts that were known from its place, and that no record contains.
  const facts = typeof cwd === 'string' ? { facts: { cwd } } : {};
  return { agent, source: { agent: agent.name, id, path, ...facts } };
}
