// Writes a whole file: a new one, or in the place of one that is there. The plan shows the difference; what is written
// is what was shown, over exactly what was there then.
import { countOf } from '../../display/quantities.ts';
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { failLater } from './fail-later.ts';
import { asFailure } from './opened-file.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { type Before, MAX_CHANGED_BYTES, readBefore, replaceFile } from './replaced-file.ts';
import { type Difference, unifiedDiff } from './unified-diff.ts';

interface FileWriteArguments {
  readonly path: string;
  readonly content: string;
}

export function fileWriteTool(ports: Pick<BuiltinToolPorts, 'fileSystem' | 'ids' | 'mayRead'>): Tool {
  const { fileSystem } = ports;
  return {
    name: 'file_write',
    description:
      'Writes a whole text file: makes it, with the directories above it, or replaces all that is in it. To change a part of a file, use file_edit.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the working directory on, or absolute.' },
        content: { type: 'string', description: 'All of the new content, with a line end at its end.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
      examples: [{ path: 'notes/todo.md', content: '# To do\n\n- water the plants\n' }],
    },
    origin: 'builtin',
    async plan(args, place) {
      const { path: given, content } = args as unknown as FileWriteArguments;
      if (!content.isWellFormed())
        throw new ToolFailure('The content holds half of a surrogate pair, which no file can keep. Leave it out.');
      const bytes = Buffer.from(content);
      if (bytes.length > MAX_CHANGED_BYTES)
        throw new ToolFailure(`The content is too large: at most ${MAX_CHANGED_BYTES / 1024 / 1024} MiB are written.`);
      const file = resolvePath(fileSystem, given, place);
      const accesses = [{ kind: 'write', path: file.path }] as const;
      try {
        const before = readBefore(fileSystem, file);
        const difference = await unifiedDiff(file.shown, textOf(before), content);
        const isNew = before.kind === 'missing';
        return {
          action: {
            tool: 'file_write',
            summary: `${isNew ? 'Create' : 'Replace'} ${file.shown} ${changed(difference)}`,
            isReadOnly: false,
            accesses,
            preview: { kind: 'diff', text: difference.text },
          },
          async run({ signal }) {
            signal.throwIfAborted();
            await replaceFile(ports, file, before, bytes);
            const verb = isNew ? 'Created' : 'Replaced';
            return {
              content: `${verb} ${file.shown} ${changed(difference)}, ${countOf(bytes.length, 'byte')}.`,
              display: difference.text,
            };
          },
        };
      } catch (error) {
        const failure = asFailure(error, file, 'read');
        const action = { tool: 'file_write', summary: `Write ${file.shown}`, isReadOnly: false, accesses };
        return failLater(ports, file, place, { action, failure });
      }
    },
  };
}

/** “(+3 −1)”. */
export function changed({ addedLines, removedLines }: Difference): string {
  return `(+${addedLines} −${removedLines})`;
}

function textOf(before: Before): string | undefined {
  return before.kind === 'missing' ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(before.bytes);
}
