// The result of a call, which comes in the role of the user, and the decision on the call before it ran.
import type { JsonObject } from '../agent.ts';
import type { AgentEvent } from '../given.ts';
import { countIn, nonEmpty, objectIn } from '../members.ts';
import { addResult } from '../said.ts';
import { readBlocks } from './blocks.ts';
import { startedBy } from './inside.ts';
import type { ClaudeGiven } from './state.ts';

export function readResult(record: JsonObject, block: JsonObject, given: ClaudeGiven): void {
  const callId = nonEmpty(block.tool_use_id);
  if (callId === undefined) {
    given.left.push('message.content[tool_result]');
    return;
  }
  given.state.isAnswered = false;
  const decided = decisionOf(record, callId);
  if (decided !== undefined) given.add(decided);
  const content = readBlocks(block.content, given);
  const more = objectIn(record.toolUseResult);
  const subagent = nonEmpty(more?.agentId);
  addResult(
    {
      callId,
      status: decided?.data.decision === 'deny' ? 'denied' : block.is_error === true ? 'error' : 'ok',
      content,
      durationMs: countIn(more?.totalDurationMs) ?? countIn(more?.durationMs),
      subagent: startedBy(callId, given.state) ?? (subagent === undefined ? undefined : `claude:agent-${subagent}`),
    },
    given,
  );
}

function decisionOf(record: JsonObject, callId: string): (AgentEvent & { type: 'tool.decided' }) | undefined {
  const decision = objectIn(record.permissionDecision);
  const denial = nonEmpty(record.toolDenialKind);
  const isDenied = denial !== undefined || decision?.decision === 'reject' || isRefusal(record);
  if (!isDenied && decision?.decision !== 'accept') return undefined;
  const by = isRefusal(record) || decision?.source === 'user' || denial?.startsWith('user') ? 'user' : 'agent';
  const reason = denial ?? nonEmpty(decision?.reasonType);
  return {
    type: 'tool.decided',
    data: { callId, decision: isDenied ? 'deny' : 'allow', by, ...(reason === undefined ? {} : { reason }) },
  };
}

/** The text that the program writes as the result of a refused call; older versions have no member for it. */
function isRefusal({ toolUseResult }: JsonObject): boolean {
  return (
    typeof toolUseResult === 'string' && /^(?:Error: )?(?:The user doesn't want to|User rejected)/.test(toolUseResult)
  );
}
