// How full the window of a model is: one number for the status line and for `/context`, with the tools and the whole
// system prompt in it.
import { INSTRUCTION_TOKENS } from '../../context/assemble.ts';
import { type BudgetReport, budgetReport } from '../../projections/budget-report.ts';
import { reserveTokens } from '../../turn/request/reserve.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { requestWindow } from '../providers/request-window.ts';
import { toolTokens } from '../tools/toolbox.ts';

interface WindowReport extends BudgetReport {
  /** Tokens of the definitions of the tools that are on. */
  readonly definitionTokens: number;
}

/** Loads the tools, to count the tokens of their definitions. */
export async function windowReport(app: App, conversation: Conversation): Promise<WindowReport> {
  const { session, choice } = conversation;
  const { maxOutputTokens, services } = app.config;
  const contextWindow = requestWindow(app, choice);
  const { budget } = session.states;
  const definitionTokens = await toolTokens(app, conversation);
  const report = budgetReport(
    { ...budget, limit: contextWindow ?? budget.limit },
    {
      reserveTokens: reserveTokens({
        contextWindow,
        maxOutputTokens,
        reserveForOutput: services.budget.reserveForOutput,
      }),
      toolTokens: definitionTokens,
      instructionTokens: INSTRUCTION_TOKENS,
    },
  );
  return { ...report, definitionTokens };
}
