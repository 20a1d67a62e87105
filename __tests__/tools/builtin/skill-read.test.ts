// A model reads a skill by its name, and no other file.

import { skillReadTool } from '../../../lib/tools/builtin/skill-read.ts';
import { ToolFailure, type ToolMeans, type ToolPlace } from '../../../lib/tools/tool.ts';

const directory = '/home/me/.claude/skills/notes';
const skill = { name: 'notes', text: '---\nname: notes\n---\nBe brief.', path: `${directory}/SKILL.md`, directory };
const instructing: string[] = [];
const tool = skillReadTool({
  trusted: async () => [skill],
  instruct: async ({ text }) => void instructing.push(text),
});
const means = { signal: new AbortController().signal } as ToolMeans;
const place: ToolPlace = { root: '/project', cwd: '/project' };

it('skill_read puts the text among the instructions, not into its result, and names the other files', async () => {
  const { action, run } = await tool.plan({ name: 'notes' }, place);
  expect(action).toMatchObject({ isReadOnly: true, accesses: [{ kind: 'read', path: skill.path }] });
  const { content } = await run(means);
  expect(instructing).toEqual([skill.text]);
  expect(content).not.toContain('Be brief.');
  expect(content).toContain(directory);
});

it.each(['other', '../notes', '/etc/passwd', ''])(
  'skill_read refuses %j, and names the skills that exist',
  async (name) => {
    const failure = tool.plan({ name }, place);
    await expect(failure).rejects.toThrow(ToolFailure);
    await expect(failure).rejects.toThrow('There are: notes.');
  },
);
