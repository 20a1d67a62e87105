// Whose a file is that is anywhere: that of the program of which most records are understood, and of no other.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_NAMES, loadAgent } from '../../lib/agents/registry.ts';
import { sourceInFile } from '../../lib/hub/import-sources.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';

const CASES = fileURLToPath(new URL('../agents/', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared/data/agents/', import.meta.url));
/** Longer ones take seconds each. */
const MAX_BYTES = 300_000;
const ports = {
  surroundings: { env: {}, home: '/nowhere', platform: process.platform },
  // Whose they are does not matter: they are test data.
  files: { fileSystem: nodeFileSystem, uid: undefined },
};
const ownerOf = async (path: string) => (await sourceInFile(path, undefined, ports)).agent.name;

it('each real session of a program is recognized as one of that program', async () => {
  if (!existsSync(SHARED)) return;
  const names = readdirSync(SHARED, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.jsonl?$/.test(name) && statSync(join(SHARED, name)).size < MAX_BYTES,
  );
  const owners = await Promise.all(names.map(async (name) => [name, await ownerOf(join(SHARED, name))] as const));
  // A folder of Cursor and opencode has databases.
  expect(owners.filter(([name, owner]) => !name.startsWith(`${owner}/`))).toEqual([]);
});

it('a session in a test of one program is not recognized as one of a different program', async () => {
  for (const name of AGENT_NAMES) {
    const folder = join(CASES, name, 'cases');
    for (const one of readdirSync(folder)) {
      const path = ['record.jsonl', 'record.json']
        .map((file) => join(folder, one, file))
        .find((file) => existsSync(file));
      if (
        path === undefined ||
        ['rows', 'files'].includes((await loadAgent(name)).stored({ agent: name, id: 'x', path }).kind)
      )
        continue;
      const owner = await ownerOf(path).catch(() => name);
      // Only Kilo CLI shares the form of its records with another program, opencode.
      expect([path, owner]).toEqual([path, name === 'kilo-cli' ? 'opencode' : name]);
    }
  }
});

it('a file of an unknown program is refused with its share of understood records, unless its program is named', async () => {
  const said = (type: string, text: string) => ({ type, content: [{ type: 'text', text }] });
  const records = [
    { type: 'system', content: 'You are a program that no one knows.' },
    said('user', 'First'),
    ...Array.from({ length: 6 }, (_, index) => said('assistant', `Answer ${index}`)),
    said('user', 'Second'),
    { type: 'tool_result', tool_call_id: 'c-1', content: 'Output' },
    said('user', 'Third'),
  ];
  using tree = createTree({ 'talk.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join('') });
  const path = join(tree.root, 'talk.jsonl');
  await expect(sourceInFile(path, undefined, ports)).rejects.toThrow(
    `${path} is no session of Gemini CLI, which it is most like: 3 of 11 records understood.`,
  );
  expect((await sourceInFile(path, 'gemini', ports)).agent.name).toBe('gemini');
});
