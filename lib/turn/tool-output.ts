// What a tool brought back, made fit for the journal and for the model: text, without secrets, cut where it is long.
import type { NewOllmEvent } from '../events/index.ts';
import type { ToolOutput } from '../tools/tool.ts';
import { createScrubber } from './redact-event.ts';
import type { Turn } from './turn.ts';
import type { TurnTools } from './turn-tools.ts';

export interface OutputRequest {
  readonly name: string;
  readonly output: ToolOutput;
  /** The arguments that it ran with, where the user changed them: the model must know. */
  readonly changedArgs?: unknown;
}

export interface OutputRecord {
  /** What the model is given while the turn runs. */
  readonly content: string;
  /** What the journal keeps of that, and what the model is given later. */
  readonly stored: string;
  readonly display: string | undefined;
  readonly truncated?: { readonly originalBytes: number; readonly keptBytes: number } | undefined;
  readonly blob?: string | undefined;
  readonly events: readonly NewOllmEvent[];
}

export async function storeOutput(turn: Turn, tools: TurnTools, request: OutputRequest): Promise<OutputRecord> {
  const { name, output, changedArgs } = request;
  const scrub = createScrubber(turn.dependencies.redactor);
  const text = typeof output.content === 'string' ? output.content : new TextDecoder().decode(output.content);
  const note = changedArgs === undefined ? '' : `The user changed the arguments to ${JSON.stringify(changedArgs)}.\n`;
  const content = scrub.text(`${note}${text}`);
  const display = output.display === undefined ? undefined : scrub.text(output.display);
  const events = scrub.findings(`output of ${name}`, turn.number);
  const stored = tools.keepsOutputs === false ? notKept(content) : content;
  return { content, stored, display, events };
}

function notKept(content: string): string {
  const bytes = Buffer.byteLength(content);
  return `The output, ${bytes} bytes, was not kept: retention.storeToolOutputs is off. Call the tool again if it is needed.`;
}
