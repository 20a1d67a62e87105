// The rules of the formats that other programs read, written from their specifications and not from our writers. Each
// function returns the rules that a text breaks, as sentences.
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { Ajv } from 'ajv';

const NAMES_OF_CONVENTIONS = new Set<unknown>(Object.values(conventions));

const optional = { text: { type: 'string' }, number: { type: 'number' }, object: { type: 'object' } } as const;
const step = {
  type: 'object',
  additionalProperties: false,
  required: ['step_id', 'source', 'message'],
  properties: {
    step_id: { type: 'integer', minimum: 1 },
    timestamp: optional.text,
    source: { enum: ['system', 'user', 'agent'] },
    model_name: optional.text,
    reasoning_effort: { type: ['string', 'number'] },
    message: optional.text,
    reasoning_content: optional.text,
    tool_calls: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['tool_call_id', 'function_name', 'arguments'],
        properties: { tool_call_id: optional.text, function_name: optional.text, arguments: optional.object },
      },
    },
    observation: {
      type: 'object',
      additionalProperties: false,
      required: ['results'],
      properties: {
        results: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            properties: { source_call_id: optional.text, content: optional.text },
          },
        },
      },
    },
    metrics: {
      type: 'object',
      additionalProperties: false,
      properties: {
        prompt_tokens: optional.number,
        completion_tokens: optional.number,
        cached_tokens: optional.number,
        cost_usd: optional.number,
        extra: optional.object,
      },
    },
    extra: optional.object,
  },
};
const trajectory = {
  type: 'object',
  additionalProperties: false,
  required: ['schema_version', 'session_id', 'agent', 'steps'],
  properties: {
    schema_version: { const: 'ATIF-v1.6' },
    session_id: optional.text,
    agent: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'version'],
      properties: { name: optional.text, version: optional.text, model_name: optional.text, extra: optional.object },
    },
    steps: { type: 'array', items: step },
    notes: optional.text,
    final_metrics: {
      type: 'object',
      additionalProperties: false,
      properties: {
        total_prompt_tokens: optional.number,
        total_completion_tokens: optional.number,
        total_cached_tokens: optional.number,
        total_cost_usd: optional.number,
        total_steps: { type: 'integer' },
        extra: optional.object,
      },
    },
    extra: optional.object,
  },
};
const fitsTrajectory = new Ajv({ allowUnionTypes: true, allErrors: true }).compile(trajectory);

interface AtifStep {
  readonly step_id: number;
  readonly source: string;
  readonly tool_calls?: readonly { readonly tool_call_id: string }[];
  readonly observation?: { readonly results: readonly { readonly source_call_id?: string }[] };
}

/** RFC 0001 of Harbor, version 1.6. */
export function brokenRulesOfAtif(text: string): readonly string[] {
  const document: { readonly steps: readonly AtifStep[] } = JSON.parse(text);
  if (!fitsTrajectory(document))
    return (fitsTrajectory.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  return document.steps.flatMap(({ step_id, source, tool_calls = [], observation, ...rest }, index) => {
    const ids = new Set(tool_calls.map((call) => call.tool_call_id));
    const ofAgent = ['model_name', 'reasoning_content', 'metrics'].filter((name) => name in rest);
    return [
      step_id === index + 1 ? '' : `step ${index + 1} has the number ${step_id}`,
      source === 'agent' || (ofAgent.length === 0 && tool_calls.length === 0)
        ? ''
        : `step ${step_id} is not the agent's`,
      ...(observation?.results ?? []).map(({ source_call_id }) =>
        source_call_id === undefined || ids.has(source_call_id) ? '' : `result of ${source_call_id} is in another step`,
      ),
    ].filter((rule) => rule !== '');
  });
}

interface AsfEntry {
  readonly type: string;
  readonly id: string;
  readonly parent: string | null;
  readonly ts: string;
  readonly [member: string]: unknown;
}

const ENTRY_TYPES = [
  'item',
  'response',
  'config',
  'compaction',
  'run',
  'dispatch',
  'decision',
  'info',
  'env',
  'link',
  'custom',
];
const REASONS = ['done', 'stopped', 'input_required', 'aborted', 'error'];

/** RFC 0001 of agentsession, draft 0.2. */
export function brokenRulesOfAsf(text: string): readonly string[] {
  const [header, ...entries] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AsfEntry);
  const broken: string[] = [];
  const must = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule);
  };
  must(header?.type === 'session' && header.format === 'agentsession/0.2', 'the first line is the header');
  must(
    typeof header?.id === 'string' && !Number.isNaN(Date.parse(String(header.created_at))),
    'the header has id and time',
  );
  const seen = new Map<string, AsfEntry>();
  for (const entry of entries) {
    const { type, id, parent, ts } = entry;
    must(ENTRY_TYPES.includes(type), `${id}: the type ${type} is one of the core`);
    must(!seen.has(id), `${id}: an id is there once`);
    must(parent === null ? seen.size === 0 : seen.has(parent), `${id}: its parent ${parent} is before it`);
    must(!Number.isNaN(Date.parse(ts)), `${id}: has a time`);
    if (type === 'decision' || type === 'dispatch') {
      const target = seen.get(String(entry.target))?.item as { call_id?: string } | undefined;
      must(target?.call_id === entry.call_id, `${id}: its target has the call`);
    }
    if (type === 'decision') must(['proceed', 'reject', 'hold'].includes(String(entry.verdict)), `${id}: verdict`);
    if (type === 'run' && entry.phase === 'end') must(REASONS.includes(String(entry.reason)), `${id}: reason`);
    if (type === 'compaction')
      must(isOnPath(seen, entry, String(entry.first_kept)), `${id}: first_kept is on its path`);
    seen.set(id, entry);
  }
  return broken;
}

function isOnPath(entries: ReadonlyMap<string, AsfEntry>, from: AsfEntry, id: string): boolean {
  for (let at = entries.get(String(from.parent)); at !== undefined; at = entries.get(String(at.parent))) {
    if (at.id === id) return true;
  }
  return false;
}

/** The items that the model is given after the last entry, by the algorithm of the same page. */
export function contextOfAsf(text: string): readonly { readonly type: string; readonly [member: string]: unknown }[] {
  type Item = { readonly type: string };
  const entries = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as AsfEntry);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: AsfEntry[] = [];
  for (let at = entries.at(-1); at !== undefined; at = byId.get(String(at.parent))) path.unshift(at);
  const last = path.findLastIndex(({ type }) => type === 'compaction');
  const itemsOf = (some: readonly AsfEntry[]) =>
    some.flatMap(({ type, item }) => (type === 'item' ? [item as Item] : []));
  if (last < 0) return itemsOf(path);
  const from = path.findIndex(({ id }) => id === path[last]!.first_kept);
  return [path[last]!.summary as Item, ...itemsOf(path.slice(from, last)), ...itemsOf(path.slice(last + 1))];
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

export function spansOf(text: string): readonly OtlpSpan[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans as OtlpSpan[]);
}

/** The JSON encoding of opentelemetry-proto, and the names in the semantic conventions. */
export function brokenRulesOfOtel(text: string): readonly string[] {
  const spans = spansOf(text);
  const broken: string[] = [];
  const must = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule);
  };
  const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId}/${spanId}`));
  must(ids.size === spans.length, 'each span has an id of its own');
  for (const { traceId, spanId, parentSpanId, name, kind, attributes, startTimeUnixNano, endTimeUnixNano } of spans) {
    must(/^[\da-f]{32}$/.test(traceId) && /^[\da-f]{16}$/.test(spanId), `${name}: ids are hexadecimal`);
    must(parentSpanId === undefined || ids.has(`${traceId}/${parentSpanId}`), `${name}: its parent is in its trace`);
    must(kind >= 1 && kind <= 5, `${name}: kind`);
    must(
      /^\d+$/.test(startTimeUnixNano) && BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano),
      `${name}: time runs forward`,
    );
    for (const { key, value } of attributes) {
      must(key.startsWith('ollm.') || NAMES_OF_CONVENTIONS.has(key), `${key} is a name of the conventions`);
      must(Object.keys(value).length === 1, `${key} has one value`);
    }
    const operation = attributes.find(({ key }) => key === 'gen_ai.operation.name')?.value.stringValue;
    must(name.startsWith(String(operation)), `${name}: begins with its operation`);
  }
  return broken;
}
