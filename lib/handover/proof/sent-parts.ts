// The parts of a request to a model, in the protocols that programs speak: Anthropic's, both of OpenAI, and Gemini's.
// A body of another form has no parts. Everything except texts, calls, results and pictures is passed over.
import { objectIn, objectsIn, textIn } from '../../agents/members.ts';
import { parseObject } from '../../platform/json.ts';

export type SentPart =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'picture' }
  /** `id`: of the call, which its result names too; undefined in a protocol that goes by the order. */
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; readonly args: unknown }
  | { readonly kind: 'result'; readonly id: string | undefined; readonly text: string };

type Members = Readonly<Record<string, unknown>>;

/**
 * @example
 * sentParts({ messages: [{ role: 'user', content: 'Hello' }] }); // [{ kind: 'text', role: 'user', text: 'Hello' }]
 */
export function sentParts(body: unknown): readonly SentPart[] {
  const { messages, input, contents } = objectIn(body) ?? {};
  for (const [items, partsOf] of [
    [messages, partsOfMessage],
    [input, partsOfItem],
    [contents, partsOfContent],
  ] as const) {
    if (Array.isArray(items)) return objectsIn(items).flatMap((item) => partsOf(item));
  }
  return [];
}

/** Anthropic's Messages, and OpenAI's Chat Completions. */
function partsOfMessage(message: Members): SentPart[] {
  const { content, tool_calls: calls, tool_call_id: id } = message;
  if (message.role === 'tool') return [{ kind: 'result', id: textIn(id), text: textOf(content) }];
  const role = roleOf(message.role);
  if (role === undefined) return [];
  const said = typeof content === 'string' ? [text(role, content)] : objectsIn(content).flatMap(partOf);
  const asked = objectsIn(calls).map((call): SentPart => {
    const { name, arguments: args } = objectIn(call.function) ?? {};
    return { kind: 'call', id: textIn(call.id), name: textIn(name) ?? '', args: argumentsOf(args) };
  });
  return [...said, ...asked];

  function partOf(block: Members): SentPart[] {
    const { type } = block;
    if (type === 'tool_use') {
      return [{ kind: 'call', id: textIn(block.id), name: textIn(block.name) ?? '', args: block.input }];
    }
    if (type === 'tool_result') {
      const pictures = objectsIn(block.content).filter(isPicture).map(picture);
      return [{ kind: 'result', id: textIn(block.tool_use_id), text: textOf(block.content) }, ...pictures];
    }
    return isPicture(block) ? [picture()] : type === 'text' ? [text(role!, textIn(block.text) ?? '')] : [];
  }
}

/** OpenAI's Responses. */
function partsOfItem(item: Members): SentPart[] {
  const { type = 'message', call_id: id } = item;
  if (type === 'function_call') {
    return [{ kind: 'call', id: textIn(id), name: textIn(item.name) ?? '', args: argumentsOf(item.arguments) }];
  }
  if (type === 'function_call_output') {
    const pictures = objectsIn(item.output).filter(isPicture).map(picture);
    return [{ kind: 'result', id: textIn(id), text: textOf(item.output) }, ...pictures];
  }
  const role = roleOf(item.role);
  if (type !== 'message' || role === undefined) return [];
  if (typeof item.content === 'string') return [text(role, item.content)];
  return objectsIn(item.content).map((block) => (isPicture(block) ? picture() : text(role, textIn(block.text) ?? '')));
}

/** Gemini's. */
function partsOfContent({ role: named, parts }: Members): SentPart[] {
  const role = named === 'model' ? 'assistant' : 'user';
  return objectsIn(parts).flatMap((part): SentPart[] => {
    const call = objectIn(part.functionCall);
    const result = objectIn(part.functionResponse);
    if (call !== undefined) {
      return [{ kind: 'call', id: textIn(call.id), name: textIn(call.name) ?? '', args: call.args ?? {} }];
    }
    if (result !== undefined) {
      const { output, error } = objectIn(result.response) ?? {};
      return [{ kind: 'result', id: textIn(result.id), text: textOf(output ?? error) }];
    }
    if (part.inlineData !== undefined) return [picture()];
    return part.thought === true ? [] : [text(role, textIn(part.text) ?? '')];
  });
}

function roleOf(role: unknown): 'user' | 'assistant' | undefined {
  return role === 'user' || role === 'assistant' ? role : undefined;
}

function isPicture({ type }: Members): boolean {
  return type === 'image' || type === 'image_url' || type === 'input_image';
}

function picture(): SentPart {
  return { kind: 'picture' };
}

function text(role: 'user' | 'assistant', said: string): SentPart {
  return { kind: 'text', role, text: said };
}

/** A text, or the texts of its blocks. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return objectsIn(value)
    .flatMap((block) => textIn(block.text) ?? [])
    .join('\n');
}

function argumentsOf(value: unknown): unknown {
  return typeof value === 'string' ? (parseObject(value) ?? value) : value;
}
