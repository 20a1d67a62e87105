// `ollm export --format source` of sessions in a database of Cursor's editor, which holds more than sessions.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { createHome, type Home } from '../../support/cli.ts';

const REAL = fileURLToPath(
  new URL(
    '../../../../shared/data/agents/cursor/slevin48__cursor-history/cursor-2024-workspace-state.vscdb',
    import.meta.url,
  ),
);

describe('the exported source of a session of Cursor', () => {
  it('has one record a line, equal from the database and from the import', async () => {
    using home = createHome();
    writeEditor(home, ['Why?', 'Because.\u2028']);
    const there = await source(home, 'cursor:c1');
    expect(there.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))).toEqual([
      { session: { id: 'c1', name: 'The mast', createdAt: 1_732_000_000_000 } },
      { bubble: { type: 1, id: 'b0', text: 'Why?' } },
      { bubble: { type: 2, id: 'b1', text: 'Because.\u2028' } },
    ]);
    expect(there.stderr).toContain('These are the records of Cursor');
    await home.here(['import', 'cursor:c1']);
    rmSync(editor(home));
    const kept = await source(home, 'cursor:c1');
    expect(kept.stdout).toBe(there.stdout);
    expect(kept.stderr).toContain('These are the records of Cursor');
  });

  it('stays as imported when the database no longer has the session, and contains no token from it', async () => {
    using home = createHome();
    writeEditor(home, ['Why?', 'Because.']);
    await home.here(['import', 'cursor:c1']);
    const before = await source(home, 'cursor-c1');
    writeEditor(home, []);
    for (const again of [
      ['import', 'cursor:c1'],
      ['import', '--again', 'cursor:c1'],
      ['import', '--all'],
    ]) {
      expect(await home.here(again)).toMatchObject({ exitCode: 0 });
      expect((await source(home, 'cursor:c1')).stdout).toBe(before.stdout);
    }
    const blobs = join(home.sessions, 'blobs');
    for (const name of readdirSync(blobs)) {
      expect(zstdDecompressSync(readFileSync(join(blobs, name))).includes('SECRET')).toBe(false);
    }
  });

  const itOfReal = existsSync(REAL) ? it : it.skip;
  itOfReal('of 2024, as the editor itself wrote it, comes back byte for byte', async () => {
    using home = createHome();
    mkdirSync(dirname(editor(home)), { recursive: true });
    cpSync(REAL, editor(home));
    const all = await addresses(home);
    expect(all.length).toBeGreaterThan(3);
    const there = await Promise.all(all.slice(0, 4).map((id) => source(home, id)));
    expect(await home.here(['import', '--agent', 'cursor'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(editor(home))).toEqual(readFileSync(REAL));
    rmSync(editor(home));
    for (const [index, { stdout }] of there.entries()) {
      expect(stdout).not.toBe('');
      expect(await source(home, all[index]!)).toMatchObject({ exitCode: 0, stdout });
    }
  });
});

function editor(home: Home): string {
  return join(home.path, '.config/Cursor/User/workspaceStorage/w1/state.vscdb');
}

async function addresses(home: Home): Promise<readonly string[]> {
  const { stdout } = await home.here(['list', '--agent', 'cursor', '--json']);
  return (JSON.parse(stdout) as { readonly address: string }[]).map(({ address }) => address);
}

function source(home: Home, id: string) {
  return home.here(['export', id, '--format', 'source']);
}

/** A database of one session with these texts, by turns of the user and the model; without any, of no session. */
function writeEditor(home: Home, texts: readonly string[]): void {
  const path = editor(home);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)');
  const set = (key: string, value: unknown) =>
    database.prepare('INSERT INTO ItemTable VALUES (?, ?)').run(key, JSON.stringify(value));
  const conversation = texts.map((text, index) => ({ type: 1 + (index % 2), id: `b${index}`, text, richText: '{}' }));
  const composer = { composerId: 'c1', name: 'The mast', createdAt: 1_732_000_000_000, conversation };
  set('composer.composerData', { allComposers: texts.length === 0 ? [] : [composer] });
  set('cursorAuth/accessToken', 'SECRET');
  database.close();
}
