// An entry of a settings file is set or taken out, and every byte outside of it stays. An edited text is read again:
// it has the wanted value and every other value is equal, or it is refused.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../platform/json.ts';

type Settings = Readonly<Record<string, unknown>>;

/** The entry `name` in the object that is the member `member` of a file. `value`: undefined takes the entry out. */
export interface EntryEdit {
  readonly member: string;
  readonly name: string;
  readonly value: Settings | undefined;
}

/** How one format is read and edited. */
export interface SettingsFormat {
  /** Undefined if the text cannot be read, or is not an object. An empty text is an empty object. */
  parse(text: string): Settings | undefined;
  /** Candidates for the edited text, the best first. None of them needs to be right. */
  edits(text: string, edit: EntryEdit): Iterable<string>;
}

/**
 * Undefined if the entry cannot be changed in this text without changing something else: a name that comes twice, a
 * member that is not an object.
 */
export function editedSettings(text: string, edit: EntryEdit, format: SettingsFormat): string | undefined {
  const before = format.parse(text);
  const wanted = before && wantedOf(before, edit);
  if (wanted === undefined) return undefined;
  try {
    for (const edited of format.edits(text, edit)) {
      if (isEqual(withoutEmpty(format.parse(edited), edit), wanted)) return edited;
    }
  } catch {
    // The package gives up on the text.
  }
  return undefined;
}

/** Prototypes differ from parser to parser, and do not count. */
function isEqual(read: Settings | undefined, wanted: Settings): boolean {
  return isDeepStrictEqual(structuredClone(read), structuredClone(wanted));
}

function wantedOf(before: Settings, edit: EntryEdit): Settings | undefined {
  const { member, name, value } = edit;
  const servers = member in before ? before[member] : {};
  if (!isObject(servers)) return undefined;
  const { [name]: _, ...others } = servers;
  return withoutEmpty({ ...before, [member]: value === undefined ? others : { ...others, [name]: value } }, edit);
}

/** After the last entry an empty member may stay or not. */
function withoutEmpty(settings: Settings | undefined, { member }: EntryEdit): Settings | undefined {
  const { [member]: servers, ...others } = settings ?? {};
  return isObject(servers) && Object.keys(servers).length === 0 ? others : settings;
}
