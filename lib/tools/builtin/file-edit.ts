// Changes a part of a file: replaces one text, exactly, by another. Refuses when the text is not there or there more
// than once. The plan shows the difference; line ends, byte order mark, permissions and everything else stay.
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';
import { planChange } from './planned-change.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { replaceIn } from './replacement.ts';

export function fileEditTool(ports: Pick<BuiltinToolPorts, 'fileSystem' | 'ids' | 'mayRead'>): Tool {
  return builtinTool({
    name: 'file_edit',
    description:
      'Changes a part of a text file: replaces old_string by new_string. old_string must be exactly what is in the file, white space included and without line numbers, and must be there only once, or replace_all must be set. Read the file first.',
    properties: {
      path: { type: 'string', minLength: 1, description: 'The file, from the working directory on, or absolute.' },
      old_string: { type: 'string', minLength: 1, description: 'What is to be replaced, with enough around it.' },
      new_string: { type: 'string', description: 'What comes in its place; empty to remove it.' },
      replace_all: { type: 'boolean', description: 'Whether every such place is replaced. Default: false.' },
    },
    required: ['path', 'old_string', 'new_string'],
    examples: [{ path: 'lib/index.ts', old_string: 'const limit = 10;', new_string: 'const limit = 20;' }],
    async plan({ path: given, old_string: old, new_string: next, replace_all: all = false }, place) {
      const file = resolvePath(ports.fileSystem, given, place);
      return planChange(ports, file, place, {
        tool: 'file_edit',
        verb: 'Edit',
        accesses: ['read', 'write'],
        next(before) {
          if (before.kind === 'missing')
            throw new ToolFailure(`${file.shown} is not there. file_write makes a new file.`);
          const { bytes, places, line } = replaceIn(before.bytes, { old, next, all }, file.shown);
          const several = places === 1 ? '' : `, ${places} places`;
          return { bytes, asked: ['Edit', several], done: ['Edited', `${several}, from line ${line} on`] };
        },
      });
    },
  });
}
