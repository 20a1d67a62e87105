// /tools: what models may call, where it comes from, and what was granted for good; and how that is taken back.
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ToolOrigin } from '../../tools/tool.ts';
import { type CommandContext, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { formatRows, type Row } from './rows.ts';

const LONGEST_DESCRIPTION = 120;

export const toolsCommand: ReplCommand = {
  name: 'tools',
  group: 'tools',
  arguments: '[revoke N | approve SERVER]',
  summary: 'lists the tools, whether they are on, your grants and denials',
  details:
    'The answer “always” makes a grant, “never” a denial; each holds for this project until you revoke it here. Rules are settings: tools.allow, tools.ask, tools.deny. The tools of an MCP server are offered after you approve them: approve shows them first, and approves them when repeated',
  example: '/tools revoke 1',
  legal: 'always',
  async complete(context, argument) {
    const words = argument.trimStart().split(/\s+/);
    if (words.length <= 1) return ['revoke', 'approve'];
    if (words[0] === 'approve') return (await import('./waiting-tools.ts')).waitingServers(context);
    const { grantsOf } = await import('../../app/tools/toolbox.ts');
    const grants = await grantsOf(context.app, context.conversation);
    return [...grants.list(), ...grants.denials()].map(({ number }) => String(number));
  },
  async run(context, argument) {
    const [action, rest] = splitFirstWord(argument);
    if (action === '') await list(context);
    else if (action === 'revoke' && /^\d+$/.test(rest.trim())) await revoke(context, Number(rest));
    else if (action === 'approve' && rest.trim() !== '')
      await (await import('./waiting-tools.ts')).approveWaiting(context, rest.trim());
    else throw wrongUsage(toolsCommand, 'Unknown arguments of /tools.');
    return undefined;
  },
};

async function list({ app, front, conversation }: CommandContext): Promise<void> {
  const { grantsOf, listTools, toolTokens, toolWarnings } = await import('../../app/tools/toolbox.ts');
  const { tools: settings } = app.config;
  if (!settings.enabled) {
    front.print('There are no tools: tools.enabled is off.');
    return;
  }
  const listed = await listTools(app, conversation);
  front.print(
    ...formatRows(
      listed.map(({ tool, isOffered }): Row => {
        const state = isOffered ? 'on ' : 'off';
        return [`${state} ${sanitizeLine(tool.name)}`, `${firstSentence(tool.description)}${fromWhom(tool.origin)}`];
      }),
      front.columns,
    ),
  );
  front.print(
    `The descriptions of those that are on take about ${await toolTokens(app, conversation)} tokens of each request.`,
  );
  front.print(...rulesOf('allow', settings.allow), ...rulesOf('ask', settings.ask), ...rulesOf('deny', settings.deny));
  front.print(
    'Otherwise: reading in the project is allowed, writing and programs need your answer, other places are denied.',
  );
  const grants = await grantsOf(app, conversation);
  for (const [words, list] of [
    ['Your grants', grants.list()],
    ['Your denials', grants.denials()],
  ] as const) {
    if (list.length === 0) continue;
    front.print(`${words}; /tools revoke N takes one back:`);
    const rows = list.map(({ number, rule }): Row => [String(number), sanitizeLine(rule)]);
    front.print(...formatRows(rows, front.columns));
  }
  await (await import('./waiting-tools.ts')).tellWaiting({ app, front });
  for (const warning of await toolWarnings(app, conversation)) front.notice(warning);
}

async function revoke({ app, front, conversation }: CommandContext, number: number): Promise<void> {
  const { grantsOf } = await import('../../app/tools/toolbox.ts');
  const grants = await grantsOf(app, conversation);
  const word = grants.denials().some((denial) => denial.number === number) ? 'Denial' : 'Grant';
  if (!grants.revoke(number)) throw wrongUsage(toolsCommand, `There is no grant or denial ${number}.`);
  front.print(`${word} ${number} is taken back. It is asked about again.`);
}

function rulesOf(kind: string, rules: readonly string[]): string[] {
  return rules.length === 0 ? [] : [`tools.${kind}: ${rules.map(sanitizeLine).join(', ')}`];
}

function fromWhom(origin: ToolOrigin): string {
  return origin === 'builtin' ? '' : ` (${sanitizeLine(origin)})`;
}

function firstSentence(description: string): string {
  const line = sanitizeLine(description);
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  return sentence.length <= LONGEST_DESCRIPTION
    ? sentence
    : `${sentence.slice(0, LONGEST_DESCRIPTION).toWellFormed()}…`;
}
