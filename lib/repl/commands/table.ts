// The slash commands there are, in the order of /help. A command that is not in this table does not exist.

import { clearCommand } from './clear.ts';
import type { ReplCommand } from './command.ts';
import { compactCommand } from './compact.ts';
import { configCommand } from './config.ts';
import { contextCommand } from './context.ts';
import { editorCommand } from './editor.ts';
import { envCommand } from './env.ts';
import { exportCommand } from './export.ts';
import { filesCommand } from './files.ts';
import { forkCommand } from './fork.ts';
import { helpCommand } from './help.ts';
import { historyCommand } from './history.ts';
import { loadCommand } from './load.ts';
import { loopCommand } from './loop.ts';
import { modelCommand } from './model.ts';
import { outputCommand } from './output.ts';
import { providerCommand } from './provider.ts';
import { quitCommand } from './quit.ts';
import { reasoningCommand } from './reasoning.ts';
import { retryCommand } from './retry.ts';
import { saveCommand } from './save.ts';
import { titleCommand } from './title.ts';
import { toolCommand } from './tool.ts';
import { toolsCommand } from './tools.ts';
import { undoCommand } from './undo.ts';
import { usageCommand } from './usage.ts';

export const COMMANDS: readonly ReplCommand[] = [
  historyCommand,
  undoCommand,
  retryCommand,
  editorCommand,
  reasoningCommand,
  contextCommand,
  compactCommand,
  loopCommand,
  usageCommand,
  toolsCommand,
  toolCommand,
  outputCommand,
  envCommand,
  saveCommand,
  loadCommand,
  forkCommand,
  titleCommand,
  exportCommand,
  modelCommand,
  providerCommand,
  configCommand,
  clearCommand,
  filesCommand,
  helpCommand,
  quitCommand,
];
