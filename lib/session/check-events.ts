// What a session takes in: events of the catalogue as their schemas say. Others would be in the journal and in no
// state, view or export: lost without a word. Only programs without type checks bring such.
import { wrongArgument } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { isEventType } from '../events/catalogue.ts';
import { validateEvent } from '../events/validate.ts';
import { OWN_TYPES } from '../journal/format.ts';
import type { NewEvent } from '../journal/types.ts';

/** Checks events after the first line against their schemas. @throws OllmError EVENT_INVALID */
export function checkAppended(events: NewEvent | readonly NewEvent[]): void {
  for (const event of Array.isArray(events) ? events : [events]) {
    if (typeof event !== 'object' || event === null) throw wrongArgument('append', 'events', 'an event', event);
    const { type } = event;
    if (type === OWN_TYPES.created) throw invalid(type, 'is the first line of a journal, which the journal writes.');
  }
  checkEvents(events);
}

/** Checks any event, including the first line. @throws OllmError EVENT_INVALID */
export function checkEvents(events: NewEvent | readonly NewEvent[]): void {
  for (const { type, data, ignorable } of Array.isArray(events) ? events : [events]) {
    if (!isEventType(type)) {
      if (ignorable !== true)
        throw invalid(type, 'is of a type that this version does not know, and is not ignorable.');
      continue;
    }
    const [problem] = validateEvent(type, data);
    if (problem !== undefined) throw invalid(type, `is not what its schema says: ${problem.message}`);
  }
}

function invalid(type: string, fault: string): OllmError {
  return new OllmError('EVENT_INVALID', `The event ${type} ${fault}`, {
    hint: 'Nothing was written. Correct the event and append it again.',
    data: { type, fault },
  });
}
