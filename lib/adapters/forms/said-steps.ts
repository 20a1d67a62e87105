// What ollm itself added to a conversation, in the steps in which libraries have it: words of the user, an answer with
// its calls, and the results of these.
import type { EventData } from '../../events/index.ts';
import type { SaidEvent, SaidItem } from '../kept/kept-list.ts';
import { partsInWords } from './parts.ts';

interface SaidCall {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
}

interface SaidResult {
  readonly callId: string;
  readonly name: string;
  readonly status: EventData<'tool.finished'>['status'];
  readonly text: string;
}

export type SaidStep = { readonly seq: number } & (
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; text: string; readonly calls: SaidCall[] }
  | { readonly role: 'tool'; readonly results: SaidResult[] }
);

interface CountedStep {
  readonly step: SaidStep;
  events: number;
}

/** Each step as one item; with `resultsApart`, each result of a call as one of its own. */
export function stepItems<Item>(
  said: readonly SaidEvent[],
  toolNames: ReadonlyMap<string, string>,
  itemOf: (step: SaidStep) => Item | undefined,
  { resultsApart = false } = {},
): readonly SaidItem<Item>[] {
  const steps = countedSteps(said, toolNames, resultsApart);
  return steps.map(({ step, events }) => ({ item: itemOf(step), events }));
}

/** All steps of an answer, to the next words of the user, as one item. */
export function answerItems<Item>(
  said: readonly SaidEvent[],
  toolNames: ReadonlyMap<string, string>,
  itemOf: (steps: readonly SaidStep[]) => Item | undefined,
): readonly SaidItem<Item>[] {
  const answers: { steps: SaidStep[]; events: number }[] = [];
  let isOpen = false;
  for (const { step, events } of countedSteps(said, toolNames)) {
    const isAnswer = step.role === 'assistant' || step.role === 'tool';
    const last = answers.at(-1);
    if (isAnswer && isOpen && last !== undefined) {
      last.steps.push(step);
      last.events += events;
    } else answers.push({ steps: [step], events });
    isOpen = isAnswer;
  }
  return answers.map(({ steps, events }) => ({ item: itemOf(steps), events }));
}

function countedSteps(
  said: readonly SaidEvent[],
  toolNames: ReadonlyMap<string, string>,
  resultsApart = false,
): readonly CountedStep[] {
  const counted: CountedStep[] = [];
  const begin = <Step extends SaidStep>(step: Step): Step => {
    counted.push({ step, events: 1 });
    return step;
  };
  for (const event of said) {
    const { seq } = event;
    const last = counted.at(-1);
    if (event.type === 'message.added') {
      const { role, parts } = event.data;
      const text = partsInWords(parts);
      if (role === 'assistant') begin({ seq, role, text, calls: [] });
      else begin({ seq, role, text });
    } else if (event.type === 'tool.requested') {
      const { callId, name, args } = event.data;
      const call = { callId, name, args };
      if (last?.step.role === 'assistant') {
        last.step.calls.push(call);
        last.events += 1;
      } else begin({ seq, role: 'assistant', text: '', calls: [call] });
    } else {
      const { callId, status, result } = event.data;
      const name = toolNames.get(callId);
      const results = name === undefined ? [] : [{ callId, name, status, text: result.llmContent }];
      if (last?.step.role === 'tool' && !resultsApart) {
        last.step.results.push(...results);
        last.events += 1;
      } else begin({ seq, role: 'tool', results });
    }
  }
  return counted;
}
