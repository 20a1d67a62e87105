// `ollm blame`: which conversation wrote each line of a file.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import type { FileBlame } from '../../app/blame/blame-file.ts';
import type { PromptOf } from '../../app/blame/blame-text.ts';
import { printable, printableLine } from '../../display/printable.ts';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import { progressDrawer } from '../progress-bar.ts';

interface Options {
  readonly rev?: string;
  readonly agent?: string;
  readonly all?: boolean;
  readonly porcelain?: boolean;
  readonly format?: 'agent-trace';
}

const NO_COMMIT = '0'.repeat(40);

export function defineBlame(program: Command, finish: Finish): void {
  const command = program
    .command('blame')
    .description('show which conversation wrote each line of a file, by the stored sessions of every program')
    .argument('<file...>', 'FILE, FILE:LINE or FILE:FROM-TO; several with --format')
    .option('--rev <revision>', 'the file as it was in this revision')
    .option('--agent <name>', 'only sessions of this program')
    .option('--all', 'also the other calls with a line, and why each is not the one')
    .option('--porcelain', 'lines in the form of "git blame --line-porcelain", for editors')
    .addOption(new Option('--format <format>', 'a record of Agent Trace 0.1 about the files').choices(['agent-trace']))
    .action(
      action<Options, [readonly string[]]>(finish, async ({ openApp, output, signal }, options, files) => {
        const { porcelain, format, all, ...request } = options;
        if (files.length > 1 && format === undefined) {
          throw new OllmError('USAGE', 'Several files go with --format agent-trace.', { hint: 'Name one file.' });
        }
        const app = await openApp('blame');
        const { blameFile } = await import('../../app/blame/blame-file.ts');
        const text = await import('../../app/blame/blame-text.ts');
        const draw = progressDrawer(output);
        const blamed: FileBlame[] = [];
        for (const [done, file] of files.entries()) {
          draw({ done, total: files.length, text: 'files' });
          blamed.push(await blameFile(app, { ...text.blamePlace(file, existsSync), ...request, signal }));
        }
        output.progress('');
        const promptOf = text.promptShower(await app.redactor({ onRequest: true }));
        const [first] = blamed as [FileBlame];
        if (format !== undefined) {
          const { agentTrace } = await import('../../app/blame/agent-trace.ts');
          await output.line(JSON.stringify(agentTrace(app, blamed, { rev: request.rev })));
        } else if (output.json) await printJson(output, first, promptOf, all);
        else if (porcelain) await printPorcelain(output, first, promptOf);
        else {
          const { colors } = output;
          for (const row of text.blameRows(first.lines)) await output.line(`${colors.dim(row.head)}  ${row.text}`);
          await output.line('');
          for (const row of text.blameSummary(first.lines, promptOf, { withOthers: all })) await output.line(row);
        }
        for (const note of new Set(blamed.flatMap(({ notes }) => notes))) output.note(note);
      }),
    );
  withExamples(command, [
    { line: 'ollm blame src/limit.ts', does: 'every line: = is certain, ~ likely' },
    { line: 'ollm blame src/limit.ts:40-44', does: 'these lines' },
    { line: 'ollm blame src/limit.ts:40 --json | jq -r .call.address', does: 'the address of the call, for a script' },
    { line: 'ollm blame src/limit.ts --rev v1.2 --agent claude', does: 'as it was then, by one program only' },
    { line: 'ollm blame src/limit.ts:40 --all', does: 'which other calls wrote such a line' },
    { line: 'ollm blame --format agent-trace src/*.ts', does: 'a record of Agent Trace about these files' },
  ]);
}

async function printJson(
  output: Output,
  { lines }: FileBlame,
  promptOf: PromptOf,
  withOthers: boolean | undefined,
): Promise<void> {
  const { addressOfCall } = await import('../../app/blame/blame-text.ts');
  for (const { call, others, ...line } of lines) {
    const shown = call && { address: addressOfCall(call), ...call, prompt: promptOf(call) };
    const lost = others.map((other) => ({ address: addressOfCall(other.call), at: other.call.at, lost: other.lost }));
    await output.line(JSON.stringify({ ...line, call: shown, others: withOthers ? lost : undefined }));
  }
}

/** Numbers of lines are those of now: the earlier ones are not known. */
async function printPorcelain(output: Output, { path, root, lines }: FileBlame, promptOf: PromptOf): Promise<void> {
  const name = printableLine(root === undefined ? path : relative(root, path));
  const { addressOfCall, blameWords } = await import('../../app/blame/blame-text.ts');
  for (const { line, text, commit, call, class: found, why } of lines) {
    const author = call === undefined ? 'Not known' : printableLine(call.session.split(':', 1)[0]!);
    const seconds = call?.at === undefined ? 0 : Math.floor(Date.parse(call.at) / 1000);
    const mail = call === undefined ? '' : printableLine(addressOfCall(call));
    const rows = [
      `${commit ?? NO_COMMIT} ${line} ${line} 1`,
      ...['author', 'committer'].flatMap((who) => [
        `${who} ${author}`,
        `${who}-mail <${mail}>`,
        `${who}-time ${seconds}`,
        `${who}-tz +0000`,
      ]),
      `summary ${printableLine((call && promptOf(call)) ?? blameWords({ class: found, why }))}`,
      `filename ${name}`,
      `\t${printable(text)}`,
    ];
    await output.line(rows.join('\n'));
  }
}
