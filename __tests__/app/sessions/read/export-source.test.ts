// A session that its program lost can be given back to it: what an import kept are the bytes that were there.
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import type { App } from '../../../../lib/app/app.ts';
import { importForeign } from '../../../../lib/app/import/import-sessions.ts';
import { exportSource } from '../../../../lib/app/sessions/read/export-source.ts';
import { type HubWorld, hubWorld } from '../../../hub/world.ts';

const SHARED = fileURLToPath(new URL('../../../../../shared/data/agents/', import.meta.url));
const CASES = fileURLToPath(new URL('../../../agents/', import.meta.url));

/** Where programs with a file for each session keep one. */
const PLACES: Readonly<Record<string, (name: string) => string>> = {
  claude: (name) => `.claude/projects/-home-ada-garden/${name}.jsonl`,
  codex: (name) => `.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${name}.jsonl`,
  gemini: (name) => `.gemini/tmp/garden/chats/session-2026-01-02T03-04-${name.slice(0, 8)}.json`,
  pi: (name) => `.pi/agent/sessions/--home-ada-garden--/2026-01-02T03-04-05-000Z_${name}.jsonl`,
  qwen: (name) => `.qwen/projects/-home-ada-garden/chats/${name}.jsonl`,
  copilot: (name) => `.copilot/session-state/${name}/events.jsonl`,
};

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

function put(path: string, bytes: Uint8Array): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
}

const bytesOf = async (app: App, reference: string, imported = false) => {
  const { chunks, ...about } = await exportSource(app, reference, { imported });
  const some: Uint8Array[] = [];
  for await (const chunk of chunks) some.push(Uint8Array.from(chunk));
  return { ...about, bytes: Buffer.concat(some) };
};

/** Imports every session, and compares the stored sources with the files. Returns the number of each kind. */
async function expectAllGivenBack(): Promise<Record<string, number>> {
  return hub.withApp(async (app) => {
    const ids = new Map<string, string>();
    const { skipped } = await importForeign(app, {
      all: true,
      onSession: ({ kind, id, address }) => kind !== 'empty' && ids.set(address, id),
    });
    expect(skipped).toEqual([]);
    const kinds: Record<string, number> = {};
    const before = new Map<string, Buffer>();
    for (const [address, id] of ids) {
      const there = await bytesOf(app, address);
      const kept = await bytesOf(app, address, true);
      expect(kept.bytes.equals(there.bytes)).toBe(true);
      expect(kept).toMatchObject({ id, keptAs: there.keptAs, path: there.path });
      if (kept.keptAs === 'same') expect(kept.bytes.equals(readFileSync(kept.path))).toBe(true);
      kinds[kept.keptAs] = (kinds[kept.keptAs] ?? 0) + 1;
      before.set(address, kept.bytes);
    }
    for (const name of readdirSync(hub.home)) {
      if (name.startsWith('.') || name === 'Library') rmSync(join(hub.home, name), { recursive: true });
    }
    for (const [address, bytes] of before) expect((await bytesOf(app, address)).bytes.equals(bytes)).toBe(true);
    return kinds;
  });
}

describe('the source of an import', () => {
  it.each(Object.keys(PLACES))('of %s equals the original file, also after that is gone', async (agent) => {
    const cases = join(CASES, agent, 'cases');
    let number = 0;
    for (const name of readdirSync(cases)) {
      number += 1;
      const [file] = ['record.jsonl', 'record.json'].map((each) => join(cases, name, each)).filter(existsSync);
      const id = `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000`;
      const path = join(hub.home, PLACES[agent]?.(id) ?? '').replace(
        /\.jsonl?$/,
        file?.endsWith('l') ? '.jsonl' : '.json',
      );
      put(path, readFileSync(file ?? ''));
    }
    expect((await expectAllGivenBack()).same).toBeGreaterThan(1);
  });

  it('that was compressed is its unpacked content', async () => {
    const record = readFileSync(join(CASES, 'codex/cases/one-turn/record.jsonl'));
    const path = PLACES.codex?.('01a205fe-6a97-7e33-aae1-dcf29b3d0267') ?? '';
    put(join(hub.home, `${path}.zst`), zstdCompressSync(record));
    expect(await expectAllGivenBack()).toEqual({ unpacked: 1 });
  });

  const real = existsSync(SHARED) ? it : it.skip;
  real('of real programs, with their databases, equals the original', async () => {
    const files = readdirSync(SHARED, { recursive: true, encoding: 'utf8' }).filter((path) => /\.jsonl?$/.test(path));
    for (const file of files) {
      const agent = file.split('/')[0] ?? '';
      const folder = file.replaceAll('/', '-').replace(/\.jsonl?$/, '');
      const place = {
        claude: `.claude/projects/${folder}/${basename(file)}`,
        codex: `.codex/sessions/2026/01/02/${basename(file)}`,
        gemini: `.gemini/tmp/${folder}/chats/${basename(file)}`,
        pi: `.pi/agent/sessions/${folder}/${basename(file)}`,
        qwen: `.qwen/projects/${folder}/chats/${basename(file)}`,
        copilot: `.copilot/session-state/${folder}/events.jsonl`,
      }[agent];
      if (place === undefined || statSync(SHARED + file).size > 4 * 2 ** 20) continue;
      put(join(hub.home, place), readFileSync(SHARED + file));
    }
    mkdirSync(join(hub.home, '.local/share/opencode'), { recursive: true });
    cpSync(
      join(SHARED, 'opencode/WildChildForLife__lantern/opencode.db'),
      join(hub.home, '.local/share/opencode/opencode.db'),
    );
    const kinds = await expectAllGivenBack();
    expect(kinds.same).toBeGreaterThan(30);
    expect(kinds.records).toBeGreaterThan(1);
  });

  it('that grew and was rewritten is the last imported state', async () => {
    const path = join(hub.home, PLACES.claude?.('oak') ?? '');
    const said = (text: string, uuid: string) =>
      `${JSON.stringify({ type: 'user', uuid, timestamp: '2026-01-02T03:04:05.000Z', message: { role: 'user', content: text } })}\n`;
    const states = [
      said('One', '1'),
      said('One', '1') + said('Two', '2'),
      said('Other', '1'),
      `${said('Other', '1')}{"half`,
    ];
    for (const state of states) {
      put(path, Buffer.from(state));
      await hub.withApp(async (app) => {
        await importForeign(app, { all: true });
        expect((await bytesOf(app, 'claude-oak')).bytes.toString()).toBe(state);
      });
    }
  });

  it('of an encrypted import is returned in the clear, to a process that has the key', async () => {
    const keyFile = join(hub.home, 'ollm-key');
    writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
    const env = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: keyFile };
    const record = readFileSync(join(CASES, 'claude/cases/one-turn/record.jsonl'));
    const path = join(hub.home, PLACES.claude?.('oak') ?? '');
    put(path, record);
    await hub.withApp((app) => importForeign(app, { all: true }), env);
    rmSync(path);
    const { bytes, inTheClear } = await hub.withApp((app) => bytesOf(app, 'claude-oak'), env);
    expect(bytes.equals(record)).toBe(true);
    expect(inTheClear).toBe(true);
  });

  it('is refused with the reason if there is none', async () => {
    put(join(hub.home, PLACES.claude?.('oak') ?? ''), readFileSync(join(CASES, 'claude/cases/one-turn/record.jsonl')));
    await hub.make('mine', ['Hello']);
    await hub.withApp((app) => importForeign(app, { all: true }), { OLLM_HUB__REDACT: 'true' });
    await hub.withApp(async (app) => {
      await expect(exportSource(app, 'mine')).rejects.toMatchObject({ code: 'USAGE' });
      await expect(exportSource(app, 'claude:oak#1')).rejects.toMatchObject({ code: 'USAGE' });
      await expect(exportSource(app, 'claude:elm')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      await expect(bytesOf(app, 'claude-oak')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });
  });

  it('with an attachment that changed ends with an error', async () => {
    put(join(hub.home, PLACES.claude?.('oak') ?? ''), readFileSync(join(CASES, 'claude/cases/one-turn/record.jsonl')));
    await hub.withApp(async (app) => {
      await importForeign(app, { all: true });
      const bytes = (await bytesOf(app, 'claude-oak')).bytes;
      const changed = zstdCompressSync(Buffer.from(bytes).fill(' ', 0, 5));
      const store = { ...app.store, readBlob: async () => changed };
      const other = Object.assign(Object.create(app) as App, { store: Object.assign(Object.create(app.store), store) });
      await expect(bytesOf(other, 'claude-oak')).rejects.toMatchObject({ code: 'IO_FAILED' });
    });
  });
});
