// `ollm doctor`: installed, reachable and writable parts, a line each.
import type { Command } from 'commander';
import type { Check } from '../../app/doctor/check.ts';
import type { Colors } from '../../display/paint.ts';
import { printableLine } from '../../display/printable.ts';
import { action, type Finish, withExamples } from '../command.ts';

const NAME_WIDTH = 16;

export function defineDoctor(program: Command, finish: Finish): void {
  const command = program
    .command('doctor')
    .description('check installed programs, reachable servers and writable directories')
    .action(
      action<object, []>(finish, async ({ output, openApp }) => {
        const app = await openApp('doctor', { changeNothing: true });
        const { examine } = await import('../../app/doctor/doctor.ts');
        const checks: Check[] = [];
        for await (const check of examine(app, { nodeVersion: process.versions.node })) {
          checks.push(check);
          if (output.json) continue;
          const { name, status, text, remedy } = check;
          await output.line(`${mark(status, output.colors)}  ${name.padEnd(NAME_WIDTH)}${printableLine(text)}`);
          if (remedy && status !== 'ok') await output.line(`      ${output.colors.dim(remedy)}`);
        }
        if (output.json) await output.document(checks);
        return checks.some(({ status }) => status === 'fail') ? 1 : 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm doctor', does: 'each line is ok, warn or fail, with what to do' },
    { line: `ollm doctor --json | jq '.[] | select(.status != "ok")'`, does: 'only what needs attention' },
  ]);
}

function mark(status: Check['status'], colors: Colors): string {
  if (status === 'ok') return colors.green('ok  ');
  return status === 'warn' ? colors.yellow('warn') : colors.red('fail');
}
