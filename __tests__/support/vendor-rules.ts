// What each vendor refuses in a request for an answer, by its documentation, as a check of the body that was sent:
// order and roles, pairs of calls and results, ids and names, images, empty texts. A refused history is refused in
// every later request, so each of these would leave a session stuck.
//   https://docs.claude.com/en/api/messages, …/docs/build-with-claude/extended-thinking, …/tool-use
//   https://platform.openai.com/docs/api-reference/responses/create and …/chat/create
//   https://ai.google.dev/gemini-api/docs/function-calling and …/thought-signatures
//   https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
//   https://docs.ollama.com/api/chat

type Json = Readonly<Record<string, unknown>>;
type Check = (body: Json) => Generator<string>;

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const LONE_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/i;

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rules that a body breaks, in sentences. */
export function brokenRules(wire: Wire, body: unknown): readonly string[] {
  if (!isObject(body)) return ['The body is not a JSON object.'];
  const broken = [...RULES[wire](body)];
  // JSON.stringify writes both halves of a whole character as one.
  if (LONE_SURROGATE.test(JSON.stringify(body))) broken.push('A text holds half a character.');
  return broken;
}

const RULES = {
  anthropic: anthropicRules,
  openai: responsesRules,
  gemini: geminiRules,
  bedrock: converseRules,
  ollama: ollamaRules,
  compatible: chatRules,
} satisfies Readonly<Record<string, Check>>;

export type Wire = keyof typeof RULES;
export const WIRE_NAMES = Object.keys(RULES) as readonly Wire[];

function* turnsTaken(roles: readonly unknown[], user: string, model: string): Generator<string> {
  if (roles[0] !== user) yield `The first message is of ${roles[0]}.`;
  if (roles.at(-1) !== user) yield `The last message is of ${roles.at(-1)}.`;
  for (const [index, role] of roles.entries()) {
    if (role !== user && role !== model) yield `Message ${index} has the role ${role}.`;
    if (index > 0 && role === roles[index - 1]) yield `The messages ${index - 1} and ${index} are both of ${role}.`;
  }
}

/** After each message with calls are their results, and results are nowhere else. */
function* paired(
  messages: readonly { readonly calls: readonly unknown[]; readonly results: readonly unknown[] }[],
): Generator<string> {
  const seen = new Set<unknown>();
  for (const [index, { calls, results }] of messages.entries()) {
    for (const id of calls) {
      if (seen.has(id)) yield `Two calls have the id ${id}.`;
      seen.add(id);
    }
    const asked = messages[index - 1]?.calls ?? [];
    if ([...asked].sort().join() !== [...results].sort().join())
      yield `Message ${index} has the results of [${results}], and the calls before it are [${asked}].`;
  }
  const open = messages.at(-1)?.calls ?? [];
  if (open.length > 0) yield `The calls [${open}] at the end have no result.`;
}

function* named(name: unknown, id: unknown): Generator<string> {
  if (!NAME.test(String(name))) yield `A call has the name ${JSON.stringify(name)}.`;
  if (id !== undefined && !ID.test(String(id))) yield `A call has the id ${JSON.stringify(id)}.`;
}

function* base64(mediaType: unknown, data: unknown, allowed: readonly string[]): Generator<string> {
  if (!allowed.includes(String(mediaType))) yield `An image has the type ${mediaType}.`;
  if (typeof data !== 'string' || data === '' || !/^[A-Za-z0-9+/]+=*$/.test(data)) yield 'An image has no content.';
}

function* anthropicRules({ messages, system, thinking, max_tokens }: Json): Generator<string> {
  const all = listOf(messages);
  yield* turnsTaken(
    all.map(({ role }) => role),
    'user',
    'assistant',
  );
  const blocksOf = (message: Json | undefined) => listOf(message?.content);
  let points = 0;
  for (const block of listOf(system)) {
    if (isBlank(block.text)) yield 'A system text is empty.';
    if (block.cache_control !== undefined) points += 1;
  }
  for (const [index, message] of all.entries()) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) yield `Message ${index} is empty.`;
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
    if (blocks.some(({ type }, at) => type === 'tool_result' && firstOther >= 0 && at > firstOther))
      yield `In message ${index} a result is after something else.`;
    for (const block of blocks) {
      if (block.cache_control !== undefined) points += 1;
      yield* anthropicBlock(block, index);
    }
  }
  if (points > 4) yield `There are ${points} cache points.`;
  const idsOf = (message: Json, type: string, member: string) =>
    blocksOf(message).flatMap((block) => (block.type === type ? [block[member]] : []));
  yield* paired(
    all.map((message) => ({
      calls: idsOf(message, 'tool_use', 'id'),
      results: idsOf(message, 'tool_result', 'tool_use_id'),
    })),
  );
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  if (typeof budget === 'number' && Number(max_tokens) <= budget) yield 'The budget of thinking is over max_tokens.';
  const last = blocksOf(all.at(-1)).some(({ type }) => type === 'tool_result') ? blocksOf(all.at(-2)) : [];
  const isOn = isObject(thinking) && thinking.type !== 'disabled';
  if (isOn && last.length > 0 && !/thinking/.test(String(last[0]?.type))) yield 'The last calls come without thinking.';
}

function* anthropicBlock(block: Json, index: number): Generator<string> {
  switch (block.type) {
    case 'text':
      if (isBlank(block.text)) yield `Message ${index} has an empty text.`;
      return;
    case 'thinking':
      if (isBlank(block.signature)) yield `Message ${index} has thinking without a signature.`;
      return;
    case 'redacted_thinking':
      if (isBlank(block.data)) yield `Message ${index} has redacted thinking without data.`;
      return;
    case 'image':
    case 'document': {
      const { type, media_type, data } = block.source as Json;
      if (type === 'base64') yield* base64(media_type, data, [...IMAGES, 'application/pdf']);
      return;
    }
    case 'tool_use':
      yield* named(block.name, block.id);
      if (!isObject(block.input)) yield `Message ${index} has a call whose input is not an object.`;
      return;
    case 'tool_result':
      for (const part of listOf(block.content)) yield* anthropicBlock(part, index);
      return;
    default:
      yield `Message ${index} has a block of type ${block.type}.`;
  }
}

function* responsesRules({ input, store }: Json): Generator<string> {
  const items = listOf(input);
  if (store !== false) yield 'What was said is stored.';
  const asked = new Set<unknown>();
  const answered = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const type = item.type ?? 'message';
    if (type === 'message') yield* responsesMessage(item, index);
    else if (type === 'function_call') {
      yield* named(item.name, item.call_id);
      if (asked.has(item.call_id)) yield `Two calls have the id ${item.call_id}.`;
      asked.add(item.call_id);
      yield* jsonObject(item.arguments, index);
    } else if (type === 'function_call_output') {
      if (!asked.has(item.call_id)) yield `Item ${index} is the result of a call that was not made.`;
      if (answered.has(item.call_id)) yield `Item ${index} is a second result.`;
      answered.add(item.call_id);
      if (typeof item.output !== 'string' && listOf(item.output).length === 0) yield `Item ${index} has no output.`;
    } else if (type === 'reasoning') {
      if (isBlank(item.encrypted_content)) yield `Item ${index} is reasoning that nothing can read.`;
      const next = items[index + 1];
      if (next === undefined || next.role === 'user') yield `Item ${index} is reasoning without what follows it.`;
    } else if (type !== 'compaction') yield `Item ${index} has the type ${type}.`;
  }
  for (const id of asked) if (!answered.has(id)) yield `The call ${id} has no result.`;
  const last = items.at(-1);
  if (last?.role !== 'user' && last?.type !== 'function_call_output') yield 'The last item is not for the model.';
}

function* responsesMessage({ role, content }: Json, index: number): Generator<string> {
  if (typeof content === 'string') {
    if (isBlank(content)) yield `Item ${index} is empty.`;
    return;
  }
  const parts = listOf(content);
  if (parts.length === 0) yield `Item ${index} is empty.`;
  for (const { type, text, image_url, file_data } of parts) {
    const isOwn = role === 'assistant';
    if (type === 'output_text' ? !isOwn : isOwn) yield `Item ${index} of ${role} holds ${type}.`;
    if (/text/.test(String(type)) && isBlank(text)) yield `Item ${index} has an empty text.`;
    if (type === 'input_image') yield* dataUrl(image_url);
    if (type === 'input_file' && isBlank(file_data)) yield `Item ${index} has an empty file.`;
  }
}

function* dataUrl(url: unknown): Generator<string> {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(String(url)) ?? [];
  yield* base64(mediaType, data, IMAGES);
}

function* jsonObject(text: unknown, index: number): Generator<string> {
  try {
    if (isObject(JSON.parse(String(text)))) return;
  } catch {}
  yield `The arguments of the call in message ${index} are not a JSON object.`;
}

function* geminiRules({ contents, systemInstruction }: Json): Generator<string> {
  const all = listOf(contents);
  // Two messages of the user are valid here: results of calls, and the user's next message.
  const roles = all.map(({ role }) => role);
  yield* turnsTaken(
    roles.filter((role, index) => role !== 'user' || roles[index - 1] !== 'user'),
    'user',
    'model',
  );
  for (const { text } of listOf((systemInstruction as Json | undefined)?.parts))
    if (isBlank(text)) yield 'A system text is empty.';
  const question = all.findLastIndex(
    ({ role, parts }) => role === 'user' && listOf(parts).some((part) => part.functionResponse === undefined),
  );
  for (const [index, { parts }] of all.entries()) {
    const list = listOf(parts);
    if (list.length === 0) yield `Content ${index} is empty.`;
    const calls = list.filter(({ functionCall }) => functionCall !== undefined);
    if (index > question && calls.length > 0 && calls[0]!.thoughtSignature === undefined)
      yield `Content ${index} has a call without its signature.`;
    for (const { text, functionCall, functionResponse, inlineData, thoughtSignature } of list) {
      if (text !== undefined && text === '' && thoughtSignature === undefined)
        yield `Content ${index} has an empty text.`;
      const { name, args } = (functionCall ?? {}) as Json;
      if (functionCall !== undefined) yield* named(name, undefined);
      if (functionCall !== undefined && !isObject(args)) yield `Content ${index} has a call without arguments.`;
      const { response } = (functionResponse ?? {}) as Json;
      if (functionResponse !== undefined && !isObject(response)) yield `Content ${index} has a result without content.`;
      const { mimeType, data } = (inlineData ?? {}) as Json;
      if (inlineData !== undefined)
        yield* base64(mimeType, data, [...IMAGES.filter((type) => type !== 'image/gif'), 'application/pdf']);
    }
    const asked = listOf(all[index - 1]?.parts).filter(({ functionCall }) => functionCall !== undefined);
    const answers = list.filter(({ functionResponse }) => functionResponse !== undefined);
    const names = (given: readonly Json[], member: string) => given.map((part) => (part[member] as Json).name).join();
    if (names(asked, 'functionCall') !== names(answers, 'functionResponse'))
      yield `Content ${index} has ${answers.length} results, and ${asked.length} calls are before it.`;
  }
}

function* converseRules({ messages, system, toolConfig }: Json): Generator<string> {
  const all = listOf(messages);
  yield* turnsTaken(
    all.map(({ role }) => role),
    'user',
    'assistant',
  );
  for (const block of listOf(system)) if (!block.cachePoint && isBlank(block.text)) yield 'A system text is empty.';
  const pairs = all.map(({ content }) => ({ calls: [] as unknown[], results: [] as unknown[], content }));
  for (const [index, pair] of pairs.entries()) {
    const blocks = listOf(pair.content);
    if (blocks.length === 0) yield `Message ${index} is empty.`;
    if (blocks.every(({ cachePoint }) => cachePoint !== undefined)) yield `Message ${index} is a cache point alone.`;
    for (const { text, image, toolUse, toolResult } of blocks) {
      if (text !== undefined && isBlank(text)) yield `Message ${index} has an empty text.`;
      const { format, source } = (image ?? {}) as { format?: unknown; source?: Json };
      if (image !== undefined) yield* base64(`image/${format}`, source?.bytes, IMAGES);
      if (isObject(toolUse)) {
        pair.calls.push(toolUse.toolUseId);
        yield* named(toolUse.name, toolUse.toolUseId);
        if (!isObject(toolUse.input)) yield `Message ${index} has a call whose input is not an object.`;
      }
      if (isObject(toolResult)) {
        pair.results.push(toolResult.toolUseId);
        if (listOf(toolResult.content).length === 0) yield `Message ${index} has a result without content.`;
      }
    }
    if (pair.calls.length + pair.results.length > 0 && toolConfig === undefined) yield 'There are calls and no tools.';
  }
  yield* paired(pairs);
}

function* chatRules({ messages }: Json): Generator<string> {
  const all = listOf(messages);
  const spoken = all.filter(({ role }) => role !== 'system');
  if (all.findLastIndex(({ role }) => role === 'system') > 0) yield 'A system message is not the first.';
  if (spoken[0]?.role !== 'user') yield `The first message is of ${spoken[0]?.role}.`;
  for (const [index, { role, content, tool_calls, reasoning_content }] of all.entries()) {
    const calls = listOf(tool_calls);
    if (role === 'assistant' ? calls.length === 0 && isBlank(content) : isEmpty(content))
      yield `Message ${index} is empty.`;
    if (content === '' && role === 'assistant') yield `Message ${index} has an empty text.`;
    if (reasoning_content !== undefined && isBlank(reasoning_content)) yield `Message ${index} has empty reasoning.`;
    for (const { type, text, image_url } of Array.isArray(content) ? listOf(content) : []) {
      if (type === 'text' && isBlank(text)) yield `Message ${index} has an empty text.`;
      if (type === 'image_url') yield* dataUrl((image_url as Json).url);
    }
    if (index > 0 && role !== 'tool' && role === all[index - 1]?.role)
      yield `Message ${index} repeats the role ${role}.`;
  }
  yield* chatPairs(all);
}

const isEmpty = (content: unknown): boolean => (Array.isArray(content) ? content.length === 0 : isBlank(content));

/** Results are right after their calls, in any order. */
function* chatPairs(all: readonly Json[]): Generator<string> {
  let open: unknown[] = [];
  for (const [index, { role, tool_calls, tool_call_id }] of all.entries()) {
    if (role === 'tool') {
      if (!open.includes(tool_call_id)) yield `Message ${index} is the result of a call that was not made.`;
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    if (open.length > 0) yield `Before message ${index} the calls [${open}] have no result.`;
    open = [];
    for (const { id, function: called } of listOf(tool_calls)) {
      const { name, arguments: args } = called as Json;
      yield* named(name, id);
      yield* jsonObject(args, index);
      if (open.includes(id)) yield `Two calls have the id ${id}.`;
      open.push(id);
    }
  }
  if (open.length > 0) yield `The calls [${open}] at the end have no result.`;
}

function* ollamaRules({ messages }: Json): Generator<string> {
  const all = listOf(messages);
  const spoken = all.filter(({ role }) => role !== 'system');
  if (spoken[0]?.role !== 'user') yield `The first message is of ${spoken[0]?.role}.`;
  let open = 0;
  for (const [index, { role, content, tool_calls, tool_name, images }] of all.entries()) {
    const calls = listOf(tool_calls);
    if (calls.length === 0 && isBlank(content) && !Array.isArray(images)) yield `Message ${index} is empty.`;
    if (typeof content !== 'string') yield `Message ${index} has no text.`;
    for (const image of Array.isArray(images) ? images : []) yield* base64('image/png', image, IMAGES);
    if (role === 'tool') {
      open -= 1;
      if (isBlank(tool_name)) yield `Message ${index} is the result of no tool.`;
      if (open < 0) yield `Message ${index} is the result of a call that was not made.`;
      continue;
    }
    if (open > 0) yield `Before message ${index} ${open} calls have no result.`;
    open = calls.length;
    for (const { function: called } of calls) {
      const { name, arguments: args } = called as Json;
      if (isBlank(name)) yield `Message ${index} calls a tool without a name.`;
      if (!isObject(args)) yield `Message ${index} has a call whose arguments are not an object.`;
    }
    // It joins neighbours of the user itself.
    if (index > 0 && role !== 'user' && role === all[index - 1]?.role)
      yield `Message ${index} repeats the role ${role}.`;
  }
}
