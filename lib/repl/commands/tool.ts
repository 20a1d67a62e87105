// /tool: describes one tool; with "on" or "off", switches it for this session.
import { sanitizeLine } from '../../display/sanitize.ts';
import { type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { requireWritable } from './run.ts';

export const toolCommand: ReplCommand = {
  name: 'tool',
  group: 'tools',
  arguments: 'NAME [on | off]',
  summary: 'describes a tool, or switches it on or off for this session',
  details: 'With a name alone it only describes the tool. tools.disabled switches a tool off for all sessions',
  example: '/tool bash off',
  legal: 'always',
  async complete({ app, conversation }, argument) {
    if (argument.trimStart().split(/\s+/).length > 1) return ['on', 'off'];
    const { listTools } = await import('../../app/tools/toolbox.ts');
    return (await listTools(app, conversation)).map(({ tool }) => tool.name);
  },
  async run({ app, front, conversation }, argument) {
    const [name, rest] = splitFirstWord(argument);
    const wanted = rest.trim();
    if (name === '' || !['', 'on', 'off'].includes(wanted)) throw wrongUsage(toolCommand, 'Which tool?');
    const { listTools, requireTools, switchTool } = await import('../../app/tools/toolbox.ts');
    const known = (await listTools(app, conversation)).find(({ tool }) => tool.name === name);
    if (wanted === '') {
      if (known === undefined) {
        await requireTools(app, [name]);
        return undefined;
      }
      front.print(sanitizeLine(known.tool.description));
      front.print(`${sanitizeLine(name)} is ${known.isOffered ? 'on' : 'off'}.`);
      return undefined;
    }
    requireWritable(conversation);
    const enabled = wanted === 'on';
    const wasOn = await switchTool(app, conversation, { name, enabled });
    if (known) front.print(sanitizeLine(known.tool.description));
    front.print(`${sanitizeLine(name)} is ${wasOn === enabled ? 'already ' : ''}${enabled ? 'on' : 'off'}.`);
    return undefined;
  },
};
