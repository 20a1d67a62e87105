// A model reads a skill by its name, and no other file.

import { skillReadTool } from '../../../lib/tools/builtin/skill-read.ts';
import { ToolFailure, type ToolMeans, type ToolPlace } from '../../../lib/tools/tool.ts';

const skill = { name: 'notes', text: '---\nname: notes\n---\nBe brief.', directory: '/home/me/.claude/skills/notes' };
const tool = skillReadTool({ trusted: async () => [skill] });
const means = { signal: new AbortController().signal } as ToolMeans;
const place: ToolPlace = { root: '/project', cwd: '/project' };

it('gives its text, and says where its other files are', async () => {
  const { action, run } = await tool.plan({ name: 'notes' }, place);
  expect(action).toMatchObject({ isReadOnly: true, accesses: [] });
  const { content } = await run(means);
  expect(content).toContain('Be brief.');
  expect(content).toContain(skill.directory);
});

it.each(['other', '../notes', '/etc/passwd', ''])('refuses %j, and names the skills that exist', async (name) => {
  const failure = tool.plan({ name }, place);
  await expect(failure).rejects.toThrow(ToolFailure);
  await expect(failure).rejects.toThrow('There are: notes.');
});
