// Whether data fits the schema of its event type, said in words. The validators are generated from schemas/; this file
// turns their findings into sentences with a JSON pointer. 100 kB of code: imported where events are read or taken in,
// and not on the way to a command that does neither.
import type { EventType } from './index.ts';
import { VALIDATORS } from './validators.generated.ts';

/** A fault in the data of an event. */
export interface EventProblem {
  /** JSON pointer into `data`: `/parts/0/text`; empty for `data` itself. */
  readonly path: string;
  /** The whole sentence, path included. */
  readonly message: string;
}

/** A report of the generated code. */
interface Finding {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

type Validator = ((data: unknown) => boolean) & { errors?: readonly Finding[] | null };

const validators: Readonly<Record<string, Validator>> = VALIDATORS;

/**
 * The faults in the data of an event of this type; empty if it is valid. Stops at the first fault.
 *
 * @example
 * validateEvent('session.titled', { title: 4 })[0]?.message; // '/title must be a string.'
 */
export function validateEvent(type: EventType, data: unknown): readonly EventProblem[] {
  const validator = typeof type === 'string' ? validators[type] : undefined;
  if (validator === undefined || validator(data)) return [];
  return (validator.errors ?? []).map(describe);
}

function describe(finding: Finding): EventProblem {
  const path = pathOf(finding);
  return { path, message: `${path === '' ? 'data' : path} ${complaint(finding)}` };
}

/** A missing member is named by its own path, not by its owner's. */
function pathOf({ instancePath, keyword, params }: Finding): string {
  if (keyword === 'required') return `${instancePath}/${escapePointer(String(params.missingProperty))}`;
  if (keyword === 'discriminator') return `${instancePath}/${escapePointer(String(params.tag))}`;
  return instancePath;
}

function complaint({ keyword, params, message }: Finding): string {
  switch (keyword) {
    case 'required':
      return 'is missing.';
    case 'type':
      return `must be ${withArticle(String(params.type))}.`;
    case 'enum':
      return `must be one of: ${(params.allowedValues as readonly unknown[]).join(', ')}.`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}.`;
    case 'discriminator':
      return `must be one of the types that there are, not ${JSON.stringify(params.tagValue) ?? 'absent'}.`;
    case 'minLength':
      return 'must not be empty.';
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return `must be ${params.comparison} ${params.limit}.`;
    case 'pattern':
      return `must match ${params.pattern}.`;
    default:
      return `${message ?? 'is not what the schema says'}.`;
  }
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** RFC 6901. */
function escapePointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1');
}
