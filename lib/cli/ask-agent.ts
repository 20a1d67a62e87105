// `ollm ask --agent`: one prompt for another agent, which ollm runs until that is answered. Its questions are asked on
// the terminal; where there is none, they are denied.
import { createInterface } from 'node:readline/promises';
import type { Observable } from 'rxjs';
import { printable } from '../display/printable.ts';
import type { RunPermissions } from '../lead/runs/run-questions.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../tools/decision.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { ExitCode } from './command.ts';
import type { Output } from './output.ts';
import type { Shell } from './shell.ts';

interface AgentQuestionWish {
  readonly agent: string;
  readonly text: string;
  readonly resume?: string | undefined;
  readonly model?: string | undefined;
  readonly permissions?: RunPermissions | undefined;
  readonly force?: boolean | undefined;
  /** Prints the signals as they come. */
  readonly answer: (signals: Observable<TurnSignal>, printed?: () => Promise<unknown>) => Promise<ExitCode>;
}

export async function askAgent(shell: Shell, wish: AgentQuestionWish): Promise<ExitCode> {
  const { agent, text, resume, model, permissions = 'ask', force, answer } = wish;
  const { signal, output } = shell;
  const app = await shell.openApp('ask', {});
  const { openRun } = await import('../lead/runs/open-run.ts');
  const approver = process.stdin.isTTY && process.stderr.isTTY ? terminalApprover(output) : undefined;
  const run = await openRun(app, { agent, resume, model, permissions, force, approver, signal });
  output.note(`${run.address}`);
  for (const notice of run.notices) output.note(printable(notice));
  const { printEvents } = await import('./print-events.ts');
  const events = output.json ? printEvents(shell, run.journal.writer) : undefined;
  try {
    const exitCode = await answer(run.ask(text, { promptId: app.ids.uuid(), signal }), events?.printed);
    if (run.movedTo !== undefined) output.note(`${run.title} goes on in another session: ${run.movedTo}`);
    await run.close();
    await events?.stop();
    return exitCode;
  } finally {
    await run.close();
  }
}

/** The questions go to standard error: standard output has only the answer. */
function terminalApprover(output: Output): Approver {
  return {
    async ask({ action, decision }: ApprovalRequest, signal): Promise<ApprovalAnswer> {
      output.note(`${decision.reason} ${printable(action.summary)}`);
      if (action.command?.kind === 'shell') output.note(`$ ${printable(action.command.line)}`);
      if (action.preview !== undefined) output.note(printable(action.preview.text));
      if (decision.dangerous !== undefined) output.warn(`It is dangerous: ${decision.dangerous}.`);
      using terminal = createInterface({ input: process.stdin, output: process.stderr });
      const said = await terminal.question('Allow it once? [y/N] ', { signal });
      return { kind: said.trim().toLowerCase() === 'y' ? 'once' : 'no' };
    },
  };
}
