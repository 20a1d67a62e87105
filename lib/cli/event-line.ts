// An event on one line: time, number, type and its essential data. For eyes; programs read the journal itself.
import { briefJson } from '../display/brief-json.ts';
import type { Colors } from '../display/paint.ts';
import { printableLine } from '../display/printable.ts';
import { formatBytes, formatDuration } from '../display/quantities.ts';
import { fitWidth } from '../display/width.ts';
import { timeOf } from '../events/time-of.ts';
import type { Damage, JsonObject, SessionEvent } from '../journal/types.ts';

interface EventLineOptions {
  readonly colors: Colors;
  /** Columns; undefined: as long as it takes, up to 2,000 characters. */
  readonly width: number | undefined;
}

const TIME_WIDTH = 8;
const TYPE_WIDTH = 20;
const MAX_ESSENCE_LENGTH = 2000;

export function eventLine(event: SessionEvent, { colors, width }: EventLineOptions): string {
  const time = printableLine((timeOf(event) ?? '').slice(11, 19).padEnd(TIME_WIDTH));
  const seq = String(event.seq).padStart(5);
  const type = printableLine(event.type.slice(0, MAX_ESSENCE_LENGTH)).padEnd(TYPE_WIDTH);
  const essence = printableLine(essenceOf(event).slice(0, MAX_ESSENCE_LENGTH));
  const taken = time.length + seq.length + type.length + 3;
  // More of an answer is there to be read as it grows.
  const isWhole = width === undefined || event.type === 'message.streamed';
  const shown = isWhole ? essence : fitWidth(essence, Math.max(0, width - taken));
  return `${colors.dim(time)} ${colors.dim(seq)} ${colorOf(event.type, colors)(type)} ${shown}`.trimEnd();
}

export function damageLine({ kind, line, offset, length, reason }: Damage): string {
  const place = line > 0 ? `line ${line}, byte ${offset}` : `byte ${offset}`;
  return `${kind} at ${place}, ${formatBytes(length)}: ${printableLine(reason)}`;
}

function colorOf(type: string, colors: Colors): (text: string) => string {
  if (type === 'message.added') return colors.green;
  if (type.startsWith('tool.')) return colors.yellow;
  if (type.startsWith('turn.')) return colors.blue;
  if (/^(journal|loop|moderation|secret)\.|failed$/.test(type)) return colors.red;
  if (/^(compaction|branch|context|retrieval|model)\./.test(type)) return colors.magenta;
  return colors.cyan;
}

/** Tolerates any line, including one whose data does not fit its type. */
function essenceOf({ type, data }: SessionEvent): string {
  if (typeof data.sealed === 'string') return '(encrypted)';
  switch (type) {
    case 'session.created':
      return `${text(data.model)} (${text(data.provider)})${data.title ? ` “${text(data.title)}”` : ''}`;
    case 'session.titled':
      return text(data.title);
    case 'session.closed':
      return text(data.reason);
    case 'writer.opened':
      return `process ${text(data.pid)} on ${text(data.host)}${data.clean ? '' : ', after an abrupt end'}`;
    case 'turn.started':
      return text(data.input);
    case 'turn.ended':
      return `${text(data.status)}, ${duration(data.durationMs)}${data.error ? `: ${text(member(data.error, 'message'))}` : ''}`;
    case 'message.added':
      return `${text(data.role)}${data.finish && data.finish !== 'stop' ? ` (${text(data.finish)})` : ''}: ${partsText(data.parts)}`;
    case 'message.streamed':
      return `… ${partsText(data.parts)}`;
    case 'tool.requested':
      return `${text(data.name)} ${text(data.args)}`;
    case 'tool.decided':
      return `${text(data.decision)} by ${text(data.by)}${data.reason ? `: ${text(data.reason)}` : ''}`;
    case 'tool.finished':
      return `${text(data.status)}, ${duration(data.durationMs)}: ${text(member(data.result, 'llmContent'))}`;
    case 'model.changed':
      return `${text(data.model)} (${text(data.provider)})`;
    case 'queue.changed':
      return queueText(data);
    case 'run.started':
      return `${text(data.agent)} ${text(member(data.program, 'version'))}, process ${text(data.pid)}`;
    case 'run.status':
      return `${text(data.from)} → ${text(data.to)}${data.error ? `: ${text(member(data.error, 'message'))}` : ''}`;
    case 'run.asked':
      return text(member(data.request, 'title'));
    case 'run.changed':
      return [data.model, data.thinking].filter(Boolean).map(text).join(', ');
    case 'run.output':
    case 'run.partial':
      return text(data.text);
    case 'run.linked':
      return text(data.address);
    case 'run.ended':
      return text(data.reason);
    case 'context.added':
      return `${text(data.key)}: ${text(data.content)}`;
    case 'usage.reported':
      return `${text(data.inputTokens)} in, ${text(data.outputTokens)} out`;
    case 'compaction.completed':
      return `${text(data.strategy)}: ${text(data.tokensBefore)} → ${text(data.tokensAfter)} tokens`;
    case 'branch.moved':
      return `back to event ${text(data.head)}`;
    case 'loop.detected':
      return text(data.details);
    default:
      return isEmpty(data) ? '' : text(data);
  }
}

function queueText({ added, removed, errors }: JsonObject): string {
  const texts = Array.isArray(added) ? added.map((prompt) => `waits: ${text(member(prompt, 'text'))}`) : [];
  const refused = Array.isArray(errors) ? errors.map((error) => `not asked: ${text(member(error, 'message'))}`) : [];
  const count = (Array.isArray(removed) ? removed.length : 0) - refused.length;
  const left = count > 0 ? [`${count} taken out`] : [];
  return [...texts, ...refused, ...left].join(', ');
}

/** Does not make a list of what may be a million names. */
function isEmpty(data: JsonObject): boolean {
  for (const name in data) if (Object.hasOwn(data, name)) return false;
  return true;
}

function text(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : briefJson(value, MAX_ESSENCE_LENGTH);
}

function duration(value: unknown): string {
  return typeof value === 'number' ? formatDuration(value) : '';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as JsonObject)[name] : undefined;
}

function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .map((part) => (member(part, 'type') === 'text' ? text(member(part, 'text')) : `[${text(member(part, 'type'))}]`))
    .join(' ');
}
