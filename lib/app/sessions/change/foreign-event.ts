// Reads one line of another program as an event to append: exactly `{type, data, turn?, id?, ignorable?}`, nothing that
// only ollm writes, numbers that are stored as they were sent, and for types of the catalogue data that fits their
// schema.
import { OllmError } from '../../../errors/index.ts';
import { isEventType } from '../../../events/catalogue.ts';
import { refuseForeign } from '../../../events/refuse-foreign.ts';
import { validateEvent } from '../../../events/validate.ts';
import { faultOfEnvelope } from '../../../journal/line/storable.ts';
import type { NewEvent } from '../../../journal/types.ts';
import { inexactNumber } from './inexact-number.ts';
import type { ParseJsonLine } from './parse-json-line.ts';

const MEMBERS: readonly string[] = ['type', 'data', 'turn', 'id', 'ignorable'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws OllmError EVENT_INVALID, EVENT_INEXACT, EVENT_RESERVED */
export function readForeignEvent(line: Uint8Array, parse: ParseJsonLine): NewEvent {
  const value = parseLine(line, parse);
  const stranger = Object.keys(value).find((member) => !MEMBERS.includes(member));
  if (stranger !== undefined) {
    throw new OllmError(
      'EVENT_RESERVED',
      `"${stranger.slice(0, 64)}" is not for the caller to set: a line is {type, data, turn?, id?, ignorable?}.`,
    );
  }
  const event = value as NewEvent;
  const fault = faultOfEnvelope(event);
  if (fault !== undefined) throw invalid(`The line cannot be stored: ${fault}.`);
  const reserved = refuseForeign(event);
  if (reserved !== undefined) throw new OllmError('EVENT_RESERVED', reserved);
  const { type, data } = event;
  if (isEventType(type)) {
    const [problem] = validateEvent(type, data);
    if (problem) throw invalid(`${type}: ${problem.message}`);
  }
  return event;
}

function parseLine(line: Uint8Array, parse: ParseJsonLine): object {
  let text: string;
  try {
    text = utf8.decode(line);
  } catch {
    throw invalid('The line is not UTF-8.');
  }
  const value = parse(text);
  const changed = inexactNumber(text);
  if (changed !== undefined) {
    throw new OllmError(
      'EVENT_INEXACT',
      `The number ${changed.slice(0, 40)} would be stored as another: write it as a text.`,
    );
  }
  return value;
}

function invalid(message: string): OllmError {
  return new OllmError('EVENT_INVALID', message);
}
