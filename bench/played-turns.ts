// Generated turns as they come about: a model that asks for the same calls and says the same words, a tool that answers with the
// same outputs. What is appended is nearly what the generator made, and everything that a turn does beside is done.
import type { NewOllmEvent } from '../lib/events/index.ts';
import type { Session } from '../lib/session/session.ts';
import type { TokenCounter } from '../lib/tokens/counter.ts';
import { createToolbox } from '../lib/tools/toolbox.ts';
import {
  type Answer,
  allowedTools,
  answeringTool,
  calling,
  saying,
  scriptedProvider,
  turnDependencies,
  wholeTurn,
} from './scripted-turns.ts';

const TOOL = 'file_edit';

export interface TurnScript {
  readonly question: string;
  readonly calls: readonly { readonly args: object; readonly output: string }[];
  readonly answer: string;
}

/** What happens in a generated turn. */
export function scriptOf(events: readonly NewOllmEvent[]): TurnScript {
  const texts = events.flatMap((event) =>
    event.type === 'message.added' ? event.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  const requested = events.flatMap((event) => (event.type === 'tool.requested' ? [event.data.args as object] : []));
  const outputs = events.flatMap((event) => (event.type === 'tool.finished' ? [event.data.result.llmContent] : []));
  return {
    question: texts[0]!,
    calls: requested.map((args, index) => ({ args, output: outputs[index]! })),
    answer: texts.at(-1)!,
  };
}

/** What of it is said to be counted: who calls a tool counts its arguments as JSON, without the counter. */
export function newTexts({ question, calls, answer }: TurnScript): string[] {
  return [question, ...calls.map(({ output }) => output), answer];
}

export function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

export type PlayTurn = (session: Session, script: TurnScript) => Promise<void>;

/** Plays turns in sessions of that directory. `counter` is for each turn a new one, as in the program. */
export function turnPlayer(directory: string, counter?: () => TokenCounter): PlayTurn {
  let outputs: string[] = [];
  // Made once, as in the program: what is checked of a tool is checked at its first call.
  const toolbox = createToolbox([answeringTool(TOOL, () => outputs.shift()!)]);
  const tools = allowedTools(directory, toolbox, () => Promise.reject(new Error('No program is started here.')));
  return async (session, { question, calls, answer }) => {
    outputs = calls.map(({ output }) => output);
    const asked = calls.map(({ args }): Answer => calling(TOOL, args));
    const provider = scriptedProvider(...([...asked, saying(answer)] as Answer[] as [Answer, ...Answer[]]));
    await wholeTurn(session, question, turnDependencies({ directory, provider, tools, counter: counter?.() }));
  };
}
