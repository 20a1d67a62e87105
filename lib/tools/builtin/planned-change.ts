// Plans the change of one file: old content, new content and the difference for the user. An error about a change
// reveals the content of the file, or its existence. For a file that may be read the error comes immediately, before
// the user is asked; for any other only when the plan runs, after the policy has allowed it.
import type { Action, FileAccess } from '../action.ts';
import { decodeText } from '../kind-of-bytes.ts';
import { decodeUtf16, utf16Of } from '../text-encoding.ts';
import { type ChangedFile, ToolFailure, type ToolPlace, type ToolPlan } from '../tool.ts';
import { asFailure, type OpenedFile } from './opened-file.ts';
import { type BuiltinToolPorts, mayRead } from './ports.ts';
import { type Before, missingDirectory, PERMISSIONS, readBefore, replaceFile } from './replaced-file.ts';
import { unifiedDiff } from './unified-diff.ts';

interface PlannedFileChange {
  readonly tool: string;
  /** The verb for the change if nothing more exact is known: “Edit”. */
  readonly verb: string;
  readonly accesses: readonly FileAccess['kind'][];
  /** @throws ToolFailure */
  next(before: Before): NextContent;
}

interface NextContent {
  readonly bytes: Uint8Array;
  /** The words before and after the file's name, in the question and in the result. */
  readonly asked: readonly [before: string, behind: string];
  readonly done: readonly [before: string, behind: string];
}

/** @throws ToolFailure if the file may be read without being asked for, and cannot be changed so */
export async function planChange(
  ports: Pick<BuiltinToolPorts, 'fileSystem' | 'ids' | 'mayRead'>,
  file: OpenedFile,
  place: ToolPlace,
  { tool, verb, accesses: kinds, next }: PlannedFileChange,
): Promise<ToolPlan> {
  const accesses = kinds.map((kind) => ({ kind, path: file.path }));
  const action = (summary: string, preview?: Action['preview']): Action => {
    return { tool, summary, isReadOnly: false, accesses, ...(preview && { preview }) };
  };
  try {
    const before = readBefore(ports.fileSystem, file);
    const { bytes, asked, done } = next(before);
    if (before.kind === 'file' && Buffer.compare(before.bytes, bytes) === 0)
      throw new ToolFailure(`${file.shown} holds exactly this already. Nothing was changed.`);
    const old = before.kind === 'missing' ? undefined : textOf(before.bytes);
    const { text, addedLines, removedLines } = await unifiedDiff(file.shown, old, textOf(bytes));
    const what = `${file.shown} (+${addedLines} −${removedLines})`;
    return {
      action: action(`${asked[0]} ${what}${asked[1]}`, { kind: 'diff', text }),
      changes: [changeOf(ports.fileSystem, file, before, bytes)],
      async run({ signal }) {
        signal.throwIfAborted();
        await replaceFile(ports, file, before, bytes);
        return { content: `${done[0]} ${what}${done[1]}.`, display: text };
      },
    };
  } catch (error) {
    const failure = asFailure(error, file, 'read');
    if (mayRead(ports, file.path, place) === 'allow') throw failure;
    return { action: action(`${verb} ${file.shown}`), run: () => Promise.reject(failure) };
  }
}

/** For people: broken bytes show as U+FFFD. */
function textOf(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  try {
    return utf16 === undefined ? decodeText(bytes) : decodeUtf16(bytes, utf16);
  } catch {
    return decodeText(bytes);
  }
}

function changeOf(
  fileSystem: BuiltinToolPorts['fileSystem'],
  { path }: OpenedFile,
  before: Before,
  after: Uint8Array,
): ChangedFile {
  if (before.kind === 'missing')
    return { path, before: undefined, after, madeDirectory: missingDirectory(fileSystem, path) };
  return { path, before: { bytes: before.bytes, mode: before.stat.mode & PERMISSIONS }, after };
}
