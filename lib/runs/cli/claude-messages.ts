// The lines that Claude Code prints with `--output-format stream-json`, in the words of the port. Pure.
import { isObject } from '../../platform/json.ts';
import type { AgentChoices, AgentQuestion, AgentSignal, AgentTurnEnd } from '../runner.ts';

type Message = Readonly<Record<string, unknown>>;

/** The beginning of an answer, whose words come piece by piece; undefined for other lines. */
export function begunAnswer({ type, event }: Message): string | undefined {
  if (type !== 'stream_event' || !isObject(event) || event.type !== 'message_start') return undefined;
  return isObject(event.message) ? String(event.message.id) : undefined;
}

/** `streamed`: the id of the answer whose words came piece by piece. The words of subagents are not shown. */
export function signalsOf(message: Message, streamed: string | undefined): readonly AgentSignal[] {
  const { type, event } = message;
  const isOfSubagent = typeof message.parent_tool_use_id === 'string';
  if (type === 'stream_event') return isOfSubagent || !isObject(event) ? [] : deltaIn(event);
  const content = isObject(message.message) ? message.message.content : undefined;
  if ((type !== 'assistant' && type !== 'user') || !Array.isArray(content)) return [];
  const hasShown = isOfSubagent || (isObject(message.message) && message.message.id === streamed);
  return content.filter(isObject).flatMap((part): AgentSignal[] => {
    if (type === 'user') return part.type === 'tool_result' ? [resultIn(part)] : [];
    if (part.type === 'tool_use') {
      return [{ type: 'call', callId: String(part.id), title: titleOf(String(part.name), part.input) }];
    }
    if (hasShown) return [];
    if (part.type === 'text') return [{ type: 'text', text: String(part.text) }];
    return part.type === 'thinking' ? [{ type: 'thinking', text: String(part.thinking) }] : [];
  });
}

/** The whole description of a call that it asks about; undefined for requests that are no call. */
export function questionOf(request: unknown): AgentQuestion | undefined {
  if (!isObject(request) || request.subtype !== 'can_use_tool') return undefined;
  const { tool_name: tool, input, tool_use_id: callId, decision_reason: reason, blocked_path: blocked } = request;
  const name = String(tool);
  const { command, file_path: file, notebook_path: notebook, path } = isObject(input) ? input : {};
  const place = [file, notebook, path].find((each) => typeof each === 'string');
  const title = titleOf(name, input);
  const all = { title, tool: name, kind: KINDS[name] ?? 'other', input, reason, blocked };
  const said = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
  return {
    callId: String(callId),
    title,
    request: { ...said, ...(place !== undefined && { locations: [{ path: place }] }) },
    ...(typeof command === 'string' && { command }),
  };
}

export function turnEndOf({ subtype, is_error: isError, result, errors }: Message): AgentTurnEnd {
  const reason = String(subtype);
  if (subtype === 'success' && isError !== true) return { status: 'completed', reason };
  const message = typeof result === 'string' ? result : Array.isArray(errors) ? errors.join(' ') : undefined;
  return { status: 'failed', reason, message };
}

/** The models that it lists, each with its levels of effort. */
export function modelsIn(answer: unknown): readonly ClaudeModel[] {
  const { models } = isObject(answer) ? answer : { models: [] };
  if (!Array.isArray(models)) return [];
  return models.filter(isObject).map(({ value, displayName, description, supportedEffortLevels: levels }) => ({
    value: String(value),
    name: String(displayName ?? value),
    ...(typeof description === 'string' && { description }),
    efforts: Array.isArray(levels) ? levels.map(String) : [],
  }));
}

export interface ClaudeModel {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  readonly efforts: readonly string[];
}

export function choicesOfModels(models: readonly ClaudeModel[], current: string): AgentChoices {
  return { current, all: models.map(({ efforts: _, ...choice }) => choice) };
}

/** A model that is not listed may take any level. */
export function choicesOfEffort(
  models: readonly ClaudeModel[],
  model: string,
  current: string | undefined,
): AgentChoices {
  const known = models.find(({ value }) => value === model) ?? models[0];
  return { ...(current && { current }), all: (known?.efforts ?? []).map((value) => ({ value, name: value })) };
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ Edit: 'edit', MultiEdit: 'edit', NotebookEdit: 'edit', Write: 'edit' },
  ...{ Bash: 'execute', Read: 'read', Glob: 'search', Grep: 'search', WebFetch: 'fetch', WebSearch: 'fetch' },
};

function titleOf(name: string, input: unknown): string {
  const { command, file_path: file, notebook_path: notebook, pattern, url, description } = isObject(input) ? input : {};
  const about = [command, file, notebook, pattern, url, description].find((each) => typeof each === 'string');
  return about === undefined ? name : `${name}: ${about}`;
}

function deltaIn({ type, delta }: Message): readonly AgentSignal[] {
  if (type !== 'content_block_delta' || !isObject(delta)) return [];
  if (delta.type === 'text_delta') return [{ type: 'text', text: String(delta.text) }];
  return delta.type === 'thinking_delta' ? [{ type: 'thinking', text: String(delta.thinking) }] : [];
}

function resultIn({ tool_use_id: callId, is_error: isError, content }: Message): AgentSignal {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const texts = parts.filter(isObject).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
  return { type: 'result', callId: String(callId), isFailed: isError === true, text: texts.join('\n') };
}
