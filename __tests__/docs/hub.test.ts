// What docs/hub.md says that programs get is the output of the commands, member by member.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, ROOT } from '../support/cli.ts';

const blocks = [...readFileSync(join(ROOT, 'docs/hub.md'), 'utf8').matchAll(/```json\n(.*?)```/gs)].map(
  ([, json = '']): unknown => JSON.parse(json),
);

it('search, sync and import print the output on the page', async () => {
  using home = createHome();
  const folder = join(home.path, '.claude/projects/-home-ada-garden');
  const codex = join(home.path, '.codex/sessions/2026/01/05');
  for (const path of [folder, codex]) mkdirSync(path, { recursive: true });
  const record = { type: 'user', uuid: 'u', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/home/ada/garden' };
  const line = `${JSON.stringify({ ...record, message: { role: 'user', content: 'A walrus' } })}\n`;
  for (const id of ['ash', 'oak']) writeFileSync(join(folder, `${id}.jsonl`), line);
  appendFileSync(join(folder, 'ash.jsonl'), '{"broken\n');
  writeFileSync(join(codex, 'rollout-2026-01-05T10-00-00-x.jsonl.zst'), 'x');
  const print = async (...args: string[]) => JSON.parse((await home.run([...args, '--json'])).stdout) as unknown;
  const synced = await print('sync');
  const found = await print('search', 'walrus', '--limit', '1');
  await home.run(['import', 'claude:ash']);
  await home.run(['delete', 'claude-ash', '--yes']);
  const imported = await print('import', '--all');
  expect(blocks.map(shapeOf)).toEqual([found, synced, imported].map(shapeOf));
  expect(imported).toMatchObject({ imported: 1, deleted: 1 });
});

/** Names of members, and kinds of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
