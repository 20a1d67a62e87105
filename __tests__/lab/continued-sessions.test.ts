// Every session of other programs that is at hand can be continued over every wire. Reads ../shared/data where that is
// there, and what $TEST_AGENT_SESSIONS names: a home of the programs, such as an unpacked archive.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceInFile, sourcesOf } from '../../lib/hub/import-sources.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { type CheckingServer, startCheckingServer } from '../support/checking-server.ts';
import { continueElsewhere, type StoredElsewhere } from '../support/continued-session.ts';

const SHARED = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const FOLDERS = ['agents', 'agents-lab', 'agents-new']
  .map((name) => join(SHARED, name))
  .filter((path) => existsSync(path));
const { TEST_AGENT_SESSIONS } = process.env;
const homes = TEST_AGENT_SESSIONS === undefined ? [] : [TEST_AGENT_SESSIONS];
const isAnywhere = FOLDERS.length + homes.length > 0;
if (!isAnywhere) console.log('skipped: no sessions of other programs are on this machine');

const files = { fileSystem: nodeFileSystem, uid: undefined };
const portsAt = (home: string) => ({ surroundings: { env: {}, home, platform: process.platform }, files });

async function atHand(): Promise<StoredElsewhere[]> {
  const found: StoredElsewhere[] = [];
  for (const home of homes) found.push(...(await sourcesOf(undefined, portsAt(home))).sources);
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.jsonl?$/.test(name)) continue;
      const file = await sourceInFile(join(folder, name), undefined, portsAt('/nowhere')).catch(() => undefined);
      if (file !== undefined) found.push(file);
    }
  }
  return found;
}

(isAnywhere ? describe : describe.skip)('each session at hand', () => {
  let server: CheckingServer;
  let sessions: readonly StoredElsewhere[];
  beforeAll(async () => {
    server = await startCheckingServer();
    sessions = await atHand();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each([
    { contextWindow: 1_000_000, withTools: true },
    { contextWindow: 200_000, withTools: false },
    { contextWindow: 32_000, withTools: true },
    { contextWindow: 8_000, withTools: false },
  ])(
    'can be continued with a window of $contextWindow tokens, tools: $withTools',
    async (how) => {
      const faults: Record<string, readonly string[]> = {};
      let conversations = 0;
      for (const one of sessions) {
        const continued = await continueElsewhere(one, server, how).catch((error: unknown) => ({
          isConversation: true,
          faults: [String(error)],
        }));
        if (continued.isConversation) conversations += 1;
        if (continued.faults.length > 0) faults[one.source.path] = continued.faults;
      }
      console.log(`${conversations} sessions of ${sessions.length} were continued over six wires.`);
      expect(faults).toEqual({});
      expect(conversations).toBeGreaterThan(0);
    },
    3_600_000,
  );
});
