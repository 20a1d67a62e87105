// Changes a part of a file: replaces one text, exactly, by another. Refuses when the text is not there or there more
// than once. The plan shows the difference; line ends, byte order mark, permissions and everything else stay.
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { failLater } from './fail-later.ts';
import { changed } from './file-write.ts';
import { asFailure } from './opened-file.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { readBefore, replaceFile } from './replaced-file.ts';
import { replaceIn } from './replacement.ts';
import { unifiedDiff } from './unified-diff.ts';

interface FileEditArguments {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export function fileEditTool(ports: Pick<BuiltinToolPorts, 'fileSystem' | 'ids' | 'mayRead'>): Tool {
  const { fileSystem } = ports;
  return {
    name: 'file_edit',
    description:
      'Changes a part of a text file: replaces old_string by new_string. old_string must be exactly what is in the file, white space included and without line numbers, and must be there only once, or replace_all must be set. Read the file first.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the working directory on, or absolute.' },
        old_string: { type: 'string', minLength: 1, description: 'What is to be replaced, with enough around it.' },
        new_string: { type: 'string', description: 'What comes in its place; empty to remove it.' },
        replace_all: { type: 'boolean', description: 'Whether every such place is replaced. Default: false.' },
      },
      required: ['path', 'old_string', 'new_string'],
      additionalProperties: false,
      examples: [{ path: 'lib/index.ts', old_string: 'const limit = 10;', new_string: 'const limit = 20;' }],
    },
    origin: 'builtin',
    async plan(args, place) {
      const {
        path: given,
        old_string: old,
        new_string: next,
        replace_all: all = false,
      } = args as unknown as FileEditArguments;
      const file = resolvePath(fileSystem, given, place);
      const accesses = [
        { kind: 'read', path: file.path },
        { kind: 'write', path: file.path },
      ] as const;
      try {
        const before = readBefore(fileSystem, file);
        if (before.kind === 'missing')
          throw new ToolFailure(`${file.shown} is not there. file_write makes a new file.`);
        const replaced = replaceIn(before.bytes, { old, next, all }, file.shown);
        const difference = await unifiedDiff(file.shown, decode(before.bytes), decode(replaced.bytes));
        const places = replaced.places === 1 ? '' : `, ${replaced.places} places`;
        return {
          action: {
            tool: 'file_edit',
            summary: `Edit ${file.shown} ${changed(difference)}${places}`,
            isReadOnly: false,
            accesses,
            preview: { kind: 'diff', text: difference.text },
          },
          async run({ signal }) {
            signal.throwIfAborted();
            await replaceFile(ports, file, before, replaced.bytes);
            return {
              content: `Edited ${file.shown} ${changed(difference)}${places}, from line ${replaced.line} on.`,
              display: difference.text,
            };
          },
        };
      } catch (error) {
        const failure = asFailure(error, file, 'read');
        const action = { tool: 'file_edit', summary: `Edit ${file.shown}`, isReadOnly: false, accesses };
        return failLater(ports, file, place, { action, failure });
      }
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
