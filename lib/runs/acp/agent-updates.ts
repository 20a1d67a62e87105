// What updates and questions of the Agent Client Protocol say, in the words of the port. Pure.
import type {
  RequestPermissionRequest,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import { isObject, parseObject } from '../../platform/json.ts';
import type { AgentChoice, AgentChoices, AgentQuestion, AgentSignal } from '../runner.ts';

/** Undefined for updates that are not shown. */
export function signalOf(update: SessionUpdate): AgentSignal | undefined {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      if (update.content.type !== 'text' || update.content.text === '') return undefined;
      const { text } = update.content;
      if (typeof text !== 'string') throw new TypeError('The text of an update is none.');
      if (update.sessionUpdate === 'agent_message_chunk') return { type: 'text', text };
      // Gemini CLI puts a heading before each piece, and an empty one where its model gave none.
      return { type: 'thinking', text: text.replace(/^\*{4}\n/, '') };
    }
    case 'tool_call':
      return { type: 'call', callId: update.toolCallId, title: update.title };
    case 'tool_call_update': {
      const { toolCallId: callId, status, title } = update;
      // A call may begin with only the name of its tool, and get its title later.
      if (status !== 'completed' && status !== 'failed') return title ? { type: 'call', callId, title } : undefined;
      return { type: 'result', callId, isFailed: status === 'failed', text: outputIn(update) };
    }
    default:
      return undefined;
  }
}

/** What a program has said of a call until now. */
export type KnownCall = Partial<RequestPermissionRequest['toolCall']>;

/** With what an update adds. */
export function callWith(known: KnownCall, update: KnownCall): KnownCall {
  const said = Object.entries(update).filter(([, value]) => value !== undefined && value !== null && !isEmpty(value));
  return { ...known, ...Object.fromEntries(said) };
}

/** The whole description of the call by the program: some show a change before they ask about it. */
export function questionOf({ toolCall }: RequestPermissionRequest, known: KnownCall = {}): AgentQuestion {
  const callId = toolCall.toolCallId;
  const { title, kind, content, locations, rawInput = argumentsIn(known.content) } = callWith(known, toolCall);
  // Some name only the command, as the title of the call.
  const line = isObject(rawInput) ? rawInput.command : kind === 'execute' ? title : undefined;
  const command = typeof line === 'string' ? line : undefined;
  const all = { title, kind, input: rawInput, content, locations };
  const request = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { callId, title: title ?? callId, request, command };
}

/** The option of a category. Older programs give it only that id. */
export function optionFor(
  options: readonly SessionConfigOption[],
  category: 'mode' | 'model' | 'thought_level',
): SessionConfigOption | undefined {
  return options.find((each) => each.category === category) ?? options.find(({ id }) => id === category);
}

/** The values of an option, of all its groups. */
export function choicesOf(option: SessionConfigOption): AgentChoices {
  if (option.type !== 'select') return { current: String(option.currentValue), all: [] };
  const all = option.options.flatMap((each): AgentChoice[] =>
    ('options' in each ? each.options : [each]).map(({ value, name, description }) => ({
      ...{ value, name },
      ...(description && { description }),
    })),
  );
  return { current: option.currentValue, all };
}

/** Some send the arguments as text until they ask, and as an object after it. */
function argumentsIn(content: KnownCall['content']): unknown {
  return parseObject(textOf(content ?? []));
}

/** The output by itself, where the program sends it apart from the words for its screen. */
function outputIn({ rawOutput, content }: KnownCall): string {
  if (typeof rawOutput === 'string') return rawOutput;
  if (isObject(rawOutput) && typeof rawOutput.output === 'string') return rawOutput.output;
  return textOf(content ?? []);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function textOf(content: readonly ToolCallContent[]): string {
  return content
    .flatMap((each) => (each.type === 'content' && each.content.type === 'text' ? [each.content.text] : []))
    .join('\n');
}
