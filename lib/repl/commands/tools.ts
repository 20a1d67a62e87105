// The commands about tools: their list, grants, output, and the variables that they may see.
import { setImmediate } from 'node:timers/promises';
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { sanitize, sanitizeLine } from '../../display/sanitize.ts';
import { wrapBehind } from '../../display/wrap.ts';
import { OllmError } from '../../errors/index.ts';
import { AGENT, agentParts } from '../../tools/builtin/agent.ts';
import type { ToolOrigin } from '../../tools/tool.ts';
import { diffLine, isDiff } from '../render/diff-lines.ts';
import { type CommandContext, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { formatRows, type LabelledRow } from './rows.ts';
import { requireWritable } from './run.ts';

const LONGEST_DESCRIPTION = 120;

export const toolsCommand: ReplCommand = {
  name: 'tools',
  aliases: ['mcp', 'permissions'],
  group: 'tools',
  arguments: '[revoke N | approve SERVER]',
  summary: 'lists the tools, whether they are on, your grants and denials',
  details:
    'The answer “always” makes a grant, “never” a denial; each holds for this project until you revoke it here. Rules are settings: tools.allow, tools.ask, tools.deny. The tools of an MCP server are offered after you approve them: approve shows them first, and approves them when repeated',
  example: '/tools revoke 1',
  legal: 'always',
  actions: {
    '': { run: list },
    revoke: {
      takesText: true,
      async complete({ app, conversation }) {
        const { grantsOf } = await import('../../app/tools/toolbox.ts');
        const grants = await grantsOf(app, conversation);
        return [...grants.list(), ...grants.denials()].map(({ number }) => String(number));
      },
      run: (context, text) => revoke(context, text.trim()),
    },
    approve: {
      takesText: true,
      complete: async (context) => (await import('./waiting-tools.ts')).waitingServers(context),
      async run(context, text) {
        if (text.trim() === '') throw wrongUsage(toolsCommand);
        await (await import('./waiting-tools.ts')).approveWaiting(context, text.trim());
      },
    },
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
  const offered = listed.map(({ tool, isOffered }): LabelledRow => {
    const state = isOffered ? 'on ' : 'off';
    return [`${state} ${sanitizeLine(tool.name)}`, `${firstSentence(tool.description)}${fromWhom(tool.origin)}`];
  });
  front.print(...formatRows(front.columns, offered));
  const tokens = await toolTokens(app, conversation);
  front.print(`The descriptions of those that are on take about ${tokens} tokens of each request.`);
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
    const rows = list.map(({ number, rule }): LabelledRow => [String(number), sanitizeLine(rule)]);
    front.print(...formatRows(front.columns, rows));
  }
  await (await import('./waiting-tools.ts')).tellWaiting({ app, front });
  for (const warning of await toolWarnings(app, conversation)) front.notice(warning);
}

async function revoke({ app, front, conversation }: CommandContext, text: string): Promise<void> {
  if (!/^\d+$/.test(text)) throw wrongUsage(toolsCommand);
  const number = Number(text);
  const { grantsOf } = await import('../../app/tools/toolbox.ts');
  const grants = await grantsOf(app, conversation);
  const word = grants.denials().some((denial) => denial.number === number) ? 'Denial' : 'Grant';
  if (!(await grants.revoke(number))) throw wrongUsage(toolsCommand, `There is no grant or denial ${number}.`);
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
    let state: string;
    if (wanted === '') {
      if (known === undefined) return requireTools(app, [name]);
      state = known.isOffered ? 'on' : 'off';
    } else {
      requireWritable(conversation);
      const enabled = wanted === 'on';
      state = (await switchTool(app, conversation, { name, enabled })) === enabled ? `already ${wanted}` : wanted;
    }
    if (known) front.print(sanitizeLine(known.tool.description));
    front.print(`${sanitizeLine(name)} is ${state}.`);
  },
};

const LINES_AT_ONCE = 500;

export const outputCommand: ReplCommand = {
  name: 'output',
  group: 'tools',
  arguments: '[N]',
  summary: 'shows the whole output of the last tool, or of the Nth from the end',
  details: 'Ctrl+O at an empty prompt does the same. An output that was too long to keep whole says so',
  example: '/output 2',
  legal: 'always',
  async run({ front, conversation, signal }, argument) {
    const back = argument.trim() === '' ? 1 : Number(argument);
    if (!Number.isInteger(back) || back < 1) throw wrongUsage(outputCommand, 'Which one, counted from the end?');
    const { findToolOutput } = await import('../../app/tools/tool-outputs.ts');
    const found = await findToolOutput(conversation.store, conversation.session.id, back);
    if (found === undefined) {
      const message = back === 1 ? 'No tool has run in this session.' : 'No output has that number.';
      throw new OllmError('USAGE', message);
    }
    const { name, status, text, binaryBytes } = found;
    if (name === AGENT) await showAnswer(front, text);
    else if (binaryBytes === undefined) await printAll(front, linesOf(text), signal);
    front.notice(
      binaryBytes === undefined
        ? `That was ${sanitizeLine(name)}, ${status}.`
        : `The output of ${sanitizeLine(name)}, ${status}, is binary: ${formatBytes(binaryBytes)}.`,
    );
  },
};

/** As the terminal shows each answer. */
async function showAnswer(front: CommandContext['front'], text: string): Promise<void> {
  const { said, facts } = agentParts(text);
  await front.show([{ kind: 'answer', text: said }]);
  if (facts !== '') front.notice(facts);
}

/** In pieces: Ctrl+C ends it, and a long one holds nothing up. */
async function printAll(
  front: CommandContext['front'],
  lines: readonly (StyledLine | string)[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < lines.length && !signal.aborted; from += LINES_AT_ONCE) {
    front.print(...lines.slice(from, from + LINES_AT_ONCE));
    await setImmediate();
  }
}

function linesOf(text: string): readonly (StyledLine | string)[] {
  const lines = sanitize(text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return isDiff(text) ? lines.map(diffLine) : lines;
}

/** The reason for variables that differ only in their own name or value. */
function shortReason(because: string): string {
  return because
    .replace(/^the allow list has .*/s, 'the allow list')
    .replace(/^set to .* (for every tool)$/s, 'set $1');
}

export const envCommand: ReplCommand = {
  name: 'env',
  group: 'tools',
  arguments: '',
  summary: 'shows which variables tools may see; ollm env --explain says why',
  example: '/env',
  legal: 'always',
  async run({ app, front }) {
    const { toolEnvironment } = await import('../../app/policy/tool-environment.ts');
    const { rows } = toolEnvironment(app);
    for (const [keeps, title] of [
      [true, 'Seen by tools'],
      [false, 'Kept from tools'],
    ] as const) {
      const some = rows.filter((row) => row.keeps === keeps);
      front.print([spanOf(`${title}, ${countOf(some.length, 'variable')}`, 'bold')]);
      const byReason = Map.groupBy(some, ({ because }) => shortReason(because));
      for (const [because, those] of [...byReason].sort(([, one], [, other]) => one.length - other.length)) {
        const names = those.map(({ name }) => sanitizeLine(name)).join(', ');
        const line = [spanOf('  '), spanOf(`${sanitizeLine(because)}: `, 'dim'), spanOf(names)] as const;
        front.print(...wrapBehind(line, front.columns));
      }
    }
  },
};
