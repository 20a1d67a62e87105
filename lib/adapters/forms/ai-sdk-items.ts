// Messages of the AI SDK as events, and back: `ModelMessage`s as models are sent them, and `UIMessage`s as pages show
// them. Parts of kinds that say nothing to a model cost nothing: the message itself is kept with the events.
import { isOllmError } from '../../errors/index.ts';
import type { Members } from '../../platform/json.ts';
import { aiSdkForm } from '../../providers/forms/ai-sdk.ts';
import { aiSdkUiForm } from '../../providers/forms/ai-sdk-ui.ts';
import type { ReadForm } from '../../providers/forms/form.ts';
import type { GivenMessage } from '../../providers/forms/given.ts';
import type { ItemForm } from '../kept/kept-list.ts';
import { type AskedModel, eventsSaying } from './given-events.ts';
import { answerItems, type SaidStep, stepItems } from './said-steps.ts';

export function aiSdkModelItems(asked: AskedModel): ItemForm<Members> {
  return {
    name: 'ai-sdk',
    events: (item, put) => eventsSaying(readIn(aiSdkForm, item), { ...asked, put }),
    items: (said, toolNames) => stepItems(said, toolNames, modelMessage),
  };
}

export function aiSdkUiItems(asked: AskedModel): ItemForm<Members> {
  return {
    name: 'ai-sdk-ui',
    events: (item, put) => eventsSaying(readIn(aiSdkUiForm, item), { ...asked, put }),
    items: (said, toolNames) => answerItems(said, toolNames, uiMessage),
  };
}

/** An empty list for a message of a later version, which is kept as it is. */
export function readIn(form: Pick<ReadForm, 'read'>, item: unknown): readonly GivenMessage[] {
  try {
    return form.read(item, () => 'call');
  } catch (error) {
    if (isOllmError(error, 'EVENT_INVALID')) return [];
    throw error;
  }
}

function modelMessage(step: SaidStep): Members | undefined {
  if (step.role === 'assistant') {
    const calls = step.calls.map(({ callId: toolCallId, name: toolName, args: input }) => ({
      ...{ type: 'tool-call', toolCallId, toolName, input },
    }));
    const content = [...(step.text === '' ? [] : [{ type: 'text', text: step.text }]), ...calls];
    return content.length === 0 ? undefined : { role: 'assistant', content };
  }
  if (step.role !== 'tool') return { role: step.role, content: step.text };
  const content = step.results.map(({ callId: toolCallId, name: toolName, status, text: value }) => ({
    ...{ type: 'tool-result', toolCallId, toolName },
    output: { type: status === 'ok' ? 'text' : 'error-text', value },
  }));
  return content.length === 0 ? undefined : { role: 'tool', content };
}

function uiMessage(steps: readonly SaidStep[]): Members | undefined {
  const [first] = steps;
  if (first === undefined) return undefined;
  const id = `said-${first.seq}`;
  if (first.role === 'system' || first.role === 'user') {
    return { id, role: first.role, parts: [{ type: 'text', text: first.text }] };
  }
  const results = new Map(
    steps.flatMap((step) => (step.role === 'tool' ? step.results.map((result) => [result.callId, result]) : [])),
  );
  const parts = steps.flatMap((step) => {
    if (step.role !== 'assistant') return [];
    const calls = step.calls.map(({ callId, name, args }) => {
      const call = { type: `tool-${name}`, toolCallId: callId, input: args };
      const result = results.get(callId);
      if (result === undefined) return { ...call, state: 'input-available' };
      const { status, text } = result;
      if (status === 'ok') return { ...call, state: 'output-available', output: text };
      return { ...call, state: 'output-error', errorText: text };
    });
    return [{ type: 'step-start' }, ...(step.text === '' ? [] : [{ type: 'text', text: step.text }]), ...calls];
  });
  return parts.every(({ type }) => type === 'step-start') ? undefined : { id, role: 'assistant', parts };
}
