// The slash commands, in the order of /help. A command that is not in this table does not exist.
import { agentCommand } from './agent.ts';
import { blameCommand } from './blame.ts';
import type { ReplCommand } from './command.ts';
import { compactCommand } from './compact.ts';
import { configCommand } from './config.ts';
import { contextCommand } from './context.ts';
import { editorCommand, historyCommand, reasoningCommand, retryCommand, undoCommand } from './conversation.ts';
import { copyCommand } from './copy.ts';
import { handoverCommand } from './handover.ts';
import { helpCommand } from './help.ts';
import { loopCommand } from './loop.ts';
import { modeCommand } from './mode.ts';
import { modelCommand, providerCommand, thinkingCommand } from './model.ts';
import { queueCommand } from './queue.ts';
import { recallCommand } from './recall.ts';
import { clearCommand, filesCommand, quitCommand } from './repl.ts';
import { diffCommand, revertCommand } from './revert.ts';
import { searchCommand } from './search.ts';
import { exportCommand, forkCommand, loadCommand, newCommand, saveCommand, titleCommand } from './session.ts';
import { skillsCommand } from './skills.ts';
import { todoCommand } from './todo.ts';
import { envCommand, outputCommand, toolCommand, toolsCommand } from './tools.ts';
import { trustCommand } from './trust.ts';
import { usageCommand } from './usage.ts';

export const COMMANDS: readonly ReplCommand[] = [
  historyCommand,
  undoCommand,
  retryCommand,
  editorCommand,
  copyCommand,
  reasoningCommand,
  queueCommand,
  agentCommand,
  todoCommand,
  contextCommand,
  trustCommand,
  skillsCommand,
  compactCommand,
  loopCommand,
  usageCommand,
  modeCommand,
  toolsCommand,
  toolCommand,
  outputCommand,
  diffCommand,
  revertCommand,
  envCommand,
  newCommand,
  saveCommand,
  loadCommand,
  searchCommand,
  recallCommand,
  blameCommand,
  forkCommand,
  titleCommand,
  exportCommand,
  handoverCommand,
  modelCommand,
  providerCommand,
  thinkingCommand,
  configCommand,
  clearCommand,
  filesCommand,
  helpCommand,
  quitCommand,
];
