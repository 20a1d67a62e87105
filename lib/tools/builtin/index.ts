// The tools that come with ollm, always in the same order: models are told of them at the beginning of every request,
// and what stays the same there is read from a provider's cache.
import type { Tool } from '../tool.ts';
import { agentTool } from './agent.ts';
import { bashTool } from './bash.ts';
import { fileEditTool } from './file-edit.ts';
import { fileReadTool } from './file-read.ts';
import { fileWriteTool } from './file-write.ts';
import { gitTool } from './git.ts';
import { historyReadTool } from './history-read.ts';
import { listFilesTool } from './list-files.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { recallTool } from './recall.ts';
import { searchFilesTool } from './search-files.ts';
import { skillReadTool } from './skill-read.ts';
import { todoWriteTool } from './todo-write.ts';
import { webFetchTool } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';

export type { HistoryItem, HistoryPort } from './history-read.ts';
export type { BuiltinToolPorts } from './ports.ts';

/**
 * @example
 * const tools = createBuiltinTools({ fileSystem: nodeFileSystem, ids: systemIds, discovery, maxOutputTokens: 8192, ...
 * });
 */
export function createBuiltinTools(ports: BuiltinToolPorts): Tool[] {
  return [
    fileReadTool(ports),
    fileWriteTool(ports),
    fileEditTool(ports),
    listFilesTool(ports),
    searchFilesTool(ports),
    bashTool(ports),
    gitTool(ports),
    ...(ports.history ? [historyReadTool(ports.history)] : []),
    ...(ports.recall ? [recallTool(ports.recall)] : []),
    ...(ports.skills ? [skillReadTool(ports.skills)] : []),
    todoWriteTool(),
    ...(ports.web ? [webFetchTool(ports.web)] : []),
    ...(ports.web?.search ? [webSearchTool(ports.web, ports.web.search)] : []),
    ...(ports.agents ? [agentTool(ports.agents)] : []),
  ];
}
