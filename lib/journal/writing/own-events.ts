// The events that the journal writes of itself, wherever it is kept.
import type { ProcessInfo } from '../../platform/processes/process-info.ts';
import { FORMAT, OWN_TYPES } from '../format.ts';
import type { NewEvent, OpeningReport } from '../types.ts';

/** The first line. The caller cannot override what only the journal knows. */
export function createdEvent(process: ProcessInfo, id: string, created: object): NewEvent {
  const { format: _format, sessionId: _sessionId, ...details } = created as Record<string, unknown>;
  const data = { format: FORMAT, sessionId: id, ...details, ...ownProcess(process) };
  return { type: OWN_TYPES.created, data };
}

/** What an opening adds: that it took place, and what was recovered. */
export function openingEvents(process: ProcessInfo, { epoch, clean, recovered }: OpeningReport): NewEvent[] {
  const opened = { type: OWN_TYPES.opened, data: { epoch, clean, ...ownProcess(process) } };
  return recovered ? [{ type: OWN_TYPES.recovered, data: recovered }, opened] : [opened];
}

function ownProcess({ pid, host, command }: ProcessInfo): { pid: number; host: string; command: string } {
  return { pid, host, command };
}
