// The file of approved tools: the conditions to trust it, and that no approval is lost when two processes write.
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApprovedTool, openApprovals } from '../../lib/mcp/approvals.ts';
import { nodeFileSystem, systemIds } from '../../lib/platform/index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ollm-approvals-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = () => join(root, 'mcp-approvals.json');
const open = () => openApprovals({ path: path(), fileSystem: nodeFileSystem, ids: systemIds, uid: process.getuid?.() });
const tool = (fingerprint: string): ApprovedTool => ({
  fingerprint,
  description: 'd',
  parameters: { type: 'object' },
  approvedAt: '2026-01-01T00:00:00.000Z',
});
const add = (server: string, identity: string, ...names: string[]) =>
  open().add(server, { identity, tools: new Map(names.map((name) => [name, tool(`f-${name}`)])) });
const namesOf = (server: string) => [...(open().read().servers.get(server)?.tools.keys() ?? [])];

function replaceByLink(): void {
  rmSync(path());
  symlinkSync('/etc/passwd', path());
}

describe('approvals', () => {
  it('exist in the next run, in a file that only the user can read', async () => {
    await add('one', 'i', 'a');
    await add('one', 'i', 'b');
    await add('__proto__', 'i', '__proto__', 'constructor');
    expect(namesOf('one')).toEqual(['a', 'b']);
    expect(namesOf('__proto__').sort()).toEqual(['__proto__', 'constructor']);
    expect(open().read().servers.get('one')?.tools.get('a')).toEqual(tool('f-a'));
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(readdirSync(root).sort()).toEqual(['mcp-approvals.json', 'mcp-approvals.json.lock']);
  });

  it('are forgotten for a program that is replaced by a different one', async () => {
    await add('one', 'i', 'a');
    await add('one', 'other', 'b');
    expect(namesOf('one')).toEqual(['b']);
  });

  it('are all kept when many are given at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `tool-${index}`);
    await Promise.all(names.map((name) => add('one', 'i', name)));
    expect(namesOf('one').sort()).toEqual(names.sort());
  });

  it('are none without a file', () => {
    expect(open().read()).toEqual({ servers: new Map() });
  });

  it.each([
    ['is damaged', () => writeFileSync(path(), '{"version":1,"servers":{"one":', { mode: 0o600 })],
    ['is damaged', () => writeFileSync(path(), '{"version":2,"servers":{}}', { mode: 0o600 })],
    [
      'is damaged',
      () =>
        writeFileSync(path(), '{"version":1,"servers":{"one":{"identity":"i","tools":{"a":true}}}}', { mode: 0o600 }),
    ],
    ['can be written by other users ("chmod 600" it if you trust it)', () => chmodSync(path(), 0o666)],
    ['is not a regular file', () => replaceByLink()],
  ])('do not count if the file %s', async (problem, spoil) => {
    await add('one', 'i', 'a');
    spoil();
    const { servers, problem: told } = open().read();
    expect(servers.size).toBe(0);
    expect(told).toContain(`${path()} ${problem}: no tool of a server counts as approved.`);
  });

  it('are not written through a link', async () => {
    const target = join(root, 'target');
    writeFileSync(target, 'mine');
    symlinkSync(target, path());
    await add('one', 'i', 'a');
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(namesOf('one')).toEqual(['a']);
  });

  it('that cannot be written are not given, with an explanation', async () => {
    writeFileSync(join(root, 'file'), '');
    const file = openApprovals({
      path: join(root, 'file', 'x.json'),
      fileSystem: nodeFileSystem,
      ids: systemIds,
      uid: undefined,
    });
    await expect(file.add('one', { identity: 'i', tools: new Map() })).rejects.toMatchObject({ code: 'IO_FAILED' });
  });
});
