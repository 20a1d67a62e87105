// The flags that say which session a conversation goes on in and who answers: the same for `repl` and `ask`.
import { type Command, Option } from 'commander';
import type { OpenRequest } from '../app/sessions/open-session.ts';
import { SESSION_ARGUMENT } from './command.ts';

export interface SessionOptions {
  readonly resume?: string;
  readonly new?: boolean;
  readonly name?: string;
  readonly promptFile?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly ephemeral?: boolean;
}

export function addSessionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--resume <id>', `go on with a session: ${SESSION_ARGUMENT}`).conflicts(['new', 'name', 'ephemeral']),
    )
    .option('--new', 'a new session, even where the prompt file has one already')
    .option('--name <name>', 'the session of this name; it is made if there is none')
    .option('--prompt-file <file>', 'the system prompt; without --new its own session goes on')
    .option('--model <model>', 'the model that answers')
    .option(
      '--provider <provider>',
      'who answers: offline, ollama, openai, anthropic, gemini, bedrock, or a name of yours',
    )
    .option('--ephemeral', 'keep the session in memory only');
}

export function openRequestOf(options: SessionOptions): OpenRequest {
  const { resume, name, promptFile, provider, model, ephemeral } = options;
  const common = { provider, model, ephemeral };
  if (resume !== undefined) return { kind: 'resume', reference: resume, ...common };
  if (options.new) return { kind: 'new', name, promptFile, ...common };
  if (name !== undefined) return { kind: 'name', name, promptFile, ...common };
  if (promptFile !== undefined) return { kind: 'prompt-file', promptFile, ...common };
  return { kind: 'new', ...common };
}
