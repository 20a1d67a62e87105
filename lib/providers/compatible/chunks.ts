// The chunks of chat completions as many servers write them: with members left out, objects in place of texts, words of
// their own for the end.
import { isObject, type Members } from '../../platform/json.ts';
import { argumentsText, type ChunkReader, fitting, isNumber, isText } from '../http/chunk-reader.ts';

interface ChatChunkOptions {
  /** Whether `[DONE]` ends an answer for which the server names no reason. */
  readonly endsWithDone?: boolean | undefined;
}

/** The words of servers for an end that is an ordinary one. */
const ENDS: Readonly<Record<string, string>> = {
  end: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  completed: 'stop',
  done: 'stop',
  finished: 'stop',
  max_tokens: 'length',
  max_output_tokens: 'length',
  tool_use: 'tool_calls',
  tool_call: 'tool_calls',
};

export function createChatChunkReader({ endsWithDone = false }: ChatChunkOptions = {}): ChunkReader {
  let hasReason = false;
  const take = (chunk: unknown): readonly unknown[] => {
    if (!isObject(chunk)) return [];
    const { error } = chunk;
    if (isObject(error) || (isText(error) && error !== '')) return [chunk];
    const given = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
    const failed = given.find((choice) => isObject(choice.error));
    if (failed !== undefined) return [{ error: failed.error }];
    const choices = given.map(fitChoice);
    hasReason ||= choices.some(({ finish_reason: reason }) => isText(reason) && reason !== '');
    const { error: _, ...rest } = fitting(chunk, { id: isText, created: isNumber, model: isText });
    const usage = isObject(chunk.usage) ? fitUsage(chunk.usage) : undefined;
    return choices.length === 0 && usage === undefined ? [] : [{ ...rest, choices, usage }];
  };
  return {
    take,
    whole: (answer) =>
      Array.isArray(answer.choices) && answer.choices.some((each) => isObject(each) && isObject(each.message))
        ? take(answer)
        : undefined,
    done: () => (endsWithDone && !hasReason ? [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }] : []),
  };
}

function fitChoice(choice: Members): Members {
  const { delta, message, finish_reason: reason, index } = choice;
  const said = isObject(delta) ? delta : isObject(message) ? message : undefined;
  const word = isText(reason) && reason !== '' ? (ENDS[reason.toLowerCase()] ?? reason) : undefined;
  return { index: isNumber(index) ? index : 0, delta: said && fitDelta(said), finish_reason: word };
}

function fitDelta(delta: Members): Members {
  const fits = {
    role: (role: unknown) => role === 'assistant' || role === '',
    content: (content: unknown) => isText(content) || Array.isArray(content),
    reasoning_content: isText,
    reasoning: isText,
    tool_calls: Array.isArray,
  };
  const { content, tool_calls: calls, ...rest } = fitting(delta, fits);
  return {
    ...rest,
    content: Array.isArray(content) ? content.filter((each) => isObject(each) && isText(each.type)) : content,
    tool_calls: (calls as readonly unknown[] | undefined)?.flatMap(fitCall),
  };
}

function fitCall(call: unknown): readonly Members[] {
  if (!isObject(call) || !isObject(call.function)) return [];
  const { function: called, ...rest } = fitting(call, { id: isText, index: isNumber, extra_content: isObject });
  const { name, arguments: args } = called as Members;
  return [{ ...rest, function: { ...(isText(name) && { name }), arguments: argumentsText(args) } }];
}

function fitUsage(usage: Members): Members {
  const counts = fitting(usage, { prompt_tokens: isNumber, completion_tokens: isNumber, total_tokens: isNumber });
  return fitting(counts, { prompt_tokens_details: isDetails, completion_tokens_details: isDetails });
}

function isDetails(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'number' || each === null);
}
