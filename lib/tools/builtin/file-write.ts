// Writes a whole file: a new one, or a replacement that keeps the old file's byte order mark, CRLF line ends and
// UTF-16. The plan shows the difference. The tool writes the content that was shown, and only if the file has not
// changed since.
import { countOf } from '../../display/quantities.ts';
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';
import { keepForm } from './kept-form.ts';
import { planChange } from './planned-change.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { MAX_CHANGED_BYTES } from './replaced-file.ts';

export function fileWriteTool(ports: Pick<BuiltinToolPorts, 'fileSystem' | 'ids' | 'mayRead'>): Tool {
  return builtinTool({
    name: 'file_write',
    description:
      'Writes a whole text file: makes it, with the directories above it, or replaces all that is in it. To change a part of a file, use file_edit.',
    properties: {
      path: { type: 'string', minLength: 1, description: 'The file, from the working directory on, or absolute.' },
      content: { type: 'string', description: 'All of the new content, with a line end at its end.' },
    },
    required: ['path', 'content'],
    examples: [{ path: 'notes/todo.md', content: '# To do\n\n- water the plants\n' }],
    async plan({ path: given, content }, place) {
      if (!content.isWellFormed())
        throw new ToolFailure('The content holds half of a surrogate pair, which no file can keep. Leave it out.');
      const bytes = Buffer.from(content);
      if (bytes.length > MAX_CHANGED_BYTES)
        throw new ToolFailure(`The content is too large: at most ${MAX_CHANGED_BYTES / 1024 / 1024} MiB are written.`);
      const file = resolvePath(ports.fileSystem, given, place);
      return planChange(ports, file, place, {
        tool: 'file_write',
        verb: 'Write',
        accesses: ['write'],
        next(before) {
          if (before.kind === 'missing')
            return { bytes, asked: ['Create', ''], done: ['Created', `, ${countOf(bytes.length, 'byte')}`] };
          const kept = keepForm(before.bytes, content);
          const note = kept.notes.length === 0 ? '' : `; ${kept.notes.join(', ')}`;
          const size = countOf(kept.bytes.length, 'byte');
          return { bytes: kept.bytes, asked: ['Replace', note], done: ['Replaced', `, ${size}${note}`] };
        },
      });
    },
  });
}
