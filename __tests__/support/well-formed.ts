// The faults that every vendor refuses, searched in a request as the server got it: a call without its result, a result
// without its call, two answers in a row, an empty message. The rules are equal for each dialect.

/** A thing that is said, in the order of the request. */
export type Said =
  | { readonly kind: 'user' | 'assistant' | 'system'; readonly empty: boolean }
  | { readonly kind: 'call'; readonly id: string }
  | { readonly kind: 'result'; readonly id: string };

type Json = Readonly<Record<string, unknown>>;

/** Sentences; none where the request can be taken. */
export function faultsOf(body: unknown): readonly string[] {
  const said = saidIn(body as Json);
  const faults: string[] = [];
  let open: string[] = [];
  for (const item of said) {
    if (item.kind === 'call') open.push(item.id);
    else if (item.kind === 'result') {
      if (open.includes(item.id)) open = without(open, item.id);
      else faults.push(`a result of ${item.id}, which was never called`);
    } else {
      if (open.length > 0) faults.push(`no result of ${open.join(', ')} before what comes next`);
      open = [];
      if (item.empty) faults.push(`an empty message of ${item.kind}`);
    }
  }
  if (open.length > 0) faults.push(`no result of ${open.join(', ')}`);
  const last = said.at(-1)?.kind;
  if (last !== 'user' && last !== 'result') faults.push(`it ends with ${last}`);
  return faults;
}

function without(ids: readonly string[], id: string): string[] {
  const index = ids.indexOf(id);
  return ids.filter((_, at) => at !== index);
}

function saidIn(body: Json): Said[] {
  if (Array.isArray(body.contents)) return body.contents.flatMap(ofGemini);
  if (Array.isArray(body.messages)) return (body.messages as Json[]).flatMap(ofMessage);
  throw new Error(`This is no request of a dialect that is known: ${Object.keys(body).join(', ')}`);
}

/** Ollama, OpenAI, Anthropic and Bedrock: Ollama has no ids, so its calls go by their name. */
function ofMessage(message: Json): Said[] {
  const kind = message.role as 'user' | 'assistant' | 'system' | 'tool';
  if (kind === 'tool') return [{ kind: 'result', id: String(message.tool_call_id ?? message.tool_name) }];
  const content = message.content;
  const blocks = Array.isArray(content) ? (content as Json[]) : [];
  const calls = [
    ...((message.tool_calls ?? []) as Json[]).map(({ id, function: of }) => id ?? (of as Json).name),
    ...blocks.flatMap(({ type, id, toolUse }) =>
      type === 'tool_use' ? [id] : toolUse ? [(toolUse as Json).toolUseId] : [],
    ),
  ].map((id) => ({ kind: 'call' as const, id: String(id) }));
  const results = blocks
    .flatMap(({ type, tool_use_id, toolResult }) =>
      type === 'tool_result' ? [tool_use_id] : toolResult ? [(toolResult as Json).toolUseId] : [],
    )
    .map((id) => ({ kind: 'result' as const, id: String(id) }));
  if (results.length > 0) return [...results, ...(results.length < blocks.length ? [{ kind, empty: false }] : [])];
  const empty = calls.length === 0 && (Array.isArray(content) ? blocks.length === 0 : !content);
  return [{ kind, empty }, ...calls];
}

function ofGemini({ role, parts }: Json): Said[] {
  const all = parts as Json[];
  const named = (key: string) => all.flatMap((part) => (part[key] ? [String((part[key] as Json).name)] : []));
  const results = named('functionResponse').map((id) => ({ kind: 'result' as const, id }));
  if (results.length > 0) return results;
  const calls = named('functionCall').map((id) => ({ kind: 'call' as const, id }));
  return [{ kind: role === 'model' ? 'assistant' : 'user', empty: all.length === 0 }, ...calls];
}
