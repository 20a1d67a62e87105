// Starts an agent by the family of its command.
import { openAcpAgent } from './acp/acp-agent.ts';
import { openClaudeAgent } from './cli/claude-agent.ts';
import type { AgentCommand } from './profiles.ts';
import type { AgentProcess, RunnerRequest } from './runner.ts';

/** The arguments of its command, with those for the session. */
export function argumentsOf(
  { args, family, askMode }: AgentCommand,
  { resume, mark, id = mark }: Pick<RunnerRequest, 'resume' | 'mark' | 'id'>,
): readonly string[] {
  if (family === 'acp') return args;
  const mode = askMode === undefined ? [] : ['--permission-mode', askMode];
  return [...args, ...mode, ...(resume === undefined ? ['--session-id', id] : ['--resume', resume])];
}

/** @throws OllmError as `openAcpAgent` and `openClaudeAgent` do */
export function openAgent(command: AgentCommand, request: RunnerRequest): Promise<AgentProcess> {
  return command.family === 'acp' ? openAcpAgent(command, request) : openClaudeAgent(command, request);
}
