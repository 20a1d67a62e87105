// The flags for the session and the model of a conversation: the same for `repl` and `ask`.
import { type Command, Option } from 'commander';
import type { OpenRequest } from '../app/sessions/open/open-session.ts';
import { THINKING_MODES, type ThinkingMode } from '../providers/thinking.ts';
import { TOOL_MODES, type ToolMode } from '../tools/modes.ts';
import { SESSION_ARGUMENT } from './command.ts';

export interface SessionFlags {
  readonly resume?: string;
  readonly new?: boolean;
  readonly name?: string;
  readonly promptFile?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly ephemeral?: boolean;
  readonly mode?: ToolMode;
  readonly thinking?: ThinkingMode;
  readonly rag?: boolean;
}

export const RAG_HELP = 'find passages of this project and its sessions for each question (retrieval.enabled)';

/** Options that name a session other than one to continue. */
export const OTHER_SESSIONS = ['new', 'name', 'ephemeral'];

export function addSessionOptions(
  command: Command,
  resume = new Option('-r, --resume <id>', `continue a session: ${SESSION_ARGUMENT}`),
): Command {
  return command
    .addOption(resume.conflicts(OTHER_SESSIONS))
    .option('--new', 'start a new session, even if the prompt file has one already')
    .option('--name <name>', 'use the session of this name; create it if it does not exist')
    .option('--prompt-file <file>', 'file with the system prompt; without --new its own session continues')
    .option('-m, --model <model>', 'model that answers')
    .option(
      '--provider <provider>',
      'provider that answers: offline, ollama, openai, anthropic, gemini, bedrock, or a name that you chose',
    )
    .option('--ephemeral', 'keep the session in memory only')
    .addOption(modeOption())
    .addOption(thinkingOption())
    .option('--rag', RAG_HELP);
}

/** Options of a model of ollm's own, which say nothing to another agent. */
export const NOT_OF_AGENTS = ['provider', 'name', 'new', 'promptFile', 'ephemeral', 'mode', 'thinking', 'rag'];

/** What becomes of the calls that another agent asks about. */
export function permissionsOption(): Option {
  return new Option(
    '--permissions <permissions>',
    'with --agent: whether its questions are asked here, denied or allowed',
  ).choices(['ask', 'deny', 'allow']);
}

export function forceOption(): Option {
  return new Option('--force', 'with --agent: go on with a session that another process may be working with');
}

/** What tools do without a question. */
export function modeOption(): Option {
  return new Option('--mode <mode>', 'what tools do without a question; default: tools.mode').choices(TOOL_MODES);
}

/** How much the model thinks, where it can be set. */
export function thinkingOption(): Option {
  return new Option('--thinking <mode>', 'how much the model thinks, where it has such modes').choices(THINKING_MODES);
}

export function openRequestOf(options: SessionFlags): OpenRequest {
  const { resume, name, promptFile, provider, model, ephemeral, mode, thinking } = options;
  const common = { provider, model, thinking, ephemeral, toolMode: mode };
  if (resume !== undefined) return { kind: 'resume', reference: resume, ...common };
  if (options.new) return { kind: 'new', name, promptFile, ...common };
  if (name !== undefined) return { kind: 'name', name, promptFile, ...common };
  if (promptFile !== undefined) return { kind: 'prompt-file', promptFile, ...common };
  return { kind: 'new', ...common };
}
