// The sessions of other programs that are on this machine: ../shared/data where that exists, an archive there unpacked
// for the time of the tests, and what $TEST_AGENT_SESSIONS names, a home of the programs. `npm run test:long` takes one
// of three of each program and folder, `npm run test:hours` all of them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceInFile, sourcesOf } from '../../lib/hub/import-sources.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import type { StoredElsewhere } from './continued-session.ts';
import { isExample } from './times.ts';

const SHARED = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
/** The last one has sessions of programs that are not read, too. */
const FOLDERS = ['agents', 'agents-lab', 'agents-new']
  .map((name) => join(SHARED, name))
  .filter((path) => existsSync(path));
const ARCHIVE = join(SHARED, 'agents-more.tar.xz');
const { TEST_AGENT_SESSIONS } = process.env;
const HOMES = TEST_AGENT_SESSIONS === undefined ? [] : [TEST_AGENT_SESSIONS];

export const areSessionsAtHand = FOLDERS.length + HOMES.length > 0;
if (!areSessionsAtHand) console.log('skipped: no sessions of other programs are on this machine');

const ONE_OF = 3;

const files = { fileSystem: nodeFileSystem, uid: undefined };
const portsAt = (home: string) => ({ surroundings: { env: {}, home, platform: process.platform }, files });

/** `ofKnown`: without the folder that has sessions of programs that are not read. */
export async function sessionsAtHand({ ofKnown = false } = {}): Promise<StoredElsewhere[]> {
  const found: StoredElsewhere[] = [];
  for (const home of HOMES) found.push(...examplesOf((await sourcesOf(undefined, portsAt(home))).sources));
  for (const folder of FOLDERS) {
    if (ofKnown && folder.endsWith('agents-new')) continue;
    const inFolder: StoredElsewhere[] = [];
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.jsonl?$/.test(name)) continue;
      const file = await sourceInFile(join(folder, name), undefined, portsAt('/nowhere')).catch(() => undefined);
      if (file !== undefined) inFolder.push(file);
    }
    found.push(...examplesOf(inFolder));
  }
  return found;
}

export const hasArchive = existsSync(ARCHIVE);

/** Unpacks the archive into a home directory. */
export function unpackArchive(home: string): void {
  execFileSync('tar', ['-xJf', ARCHIVE, '-C', home, '--strip-components=1']);
}

/** The ones of the archive, where that is at hand: `isWhole` all of them. `use` is done with them before they go. */
export async function withArchive(
  use: (sessions: readonly StoredElsewhere[]) => Promise<void>,
  { isWhole = false } = {},
): Promise<void> {
  if (!hasArchive) return;
  const directory = mkdtempSync(join(tmpdir(), 'ollm-archive-'));
  try {
    unpackArchive(directory);
    const { sources } = await sourcesOf(undefined, portsAt(directory));
    await use(isWhole ? sources : examplesOf(sources));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function examplesOf(sessions: readonly StoredElsewhere[]): readonly StoredElsewhere[] {
  const byAgent = Map.groupBy(sessions, ({ agent }) => agent.name);
  return [...byAgent.values()].flatMap((those) => those.filter((_, place) => isExample(place, ONE_OF)));
}
