// Ids and names of calls as they can be sent back to every provider: one that is missing, taken or unfit gets another
// immediately, so that signals, events and requests speak of the same call.
import type { ModelToolCall } from '../../providers/provider.ts';
import type { Turn } from '../turn.ts';

const MAX_ID_CHARACTERS = 256;
const MAX_NAME_CHARACTERS = 64;

/** For the calls of one reply. */
export function callNaming({ session, number, steps }: Turn): (call: ModelToolCall) => ModelToolCall {
  const { entries } = session.states.view.timeline;
  const given = new Set<string>();
  // Asked for each call: most answers have none.
  const isTaken = (callId: string) =>
    given.has(callId) || entries.some((item) => item.kind === 'call' && item.callId === callId);
  let calls = 0;
  return (call) => {
    calls += 1;
    const callId = isFit(call.callId) && !isTaken(call.callId) ? call.callId : `call-${number}-${steps}-${calls}`;
    given.add(callId);
    return { ...call, callId, name: fitName(call.name) };
  };
}

function isFit(callId: unknown): callId is string {
  return typeof callId === 'string' && callId.length <= MAX_ID_CHARACTERS && /^[\x21-\x7e]+$/.test(callId);
}

/** Providers refuse a request with other characters, and so all requests after it. */
function fitName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_CHARACTERS) || 'unnamed';
}
