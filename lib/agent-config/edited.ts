// An entry of a settings file is set or taken out, and every byte outside of it stays. An edited text is read again:
// it has the wanted value and every other value is equal, or it is refused.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../platform/json.ts';

type Settings = Readonly<Record<string, unknown>>;

/** The entry `name` in an object of a file. */
export interface EntryEdit {
  /** The members that lead to the object, from the root on. */
  readonly path: readonly string[];
  readonly name: string;
  /** Undefined takes the entry out. */
  readonly value: unknown;
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
      if (isEqual(withoutEmpty(format.parse(edited), edit.path), wanted)) return edited;
    }
  } catch {
    // The package gives up on the text.
  }
  return undefined;
}

/** The object that the path leads to; an empty one if there is none. Undefined if something else is in its place. */
export function objectAt(settings: Settings, path: readonly string[]): Settings | undefined {
  let found: unknown = settings;
  for (const member of path) {
    if (!isObject(found)) return undefined;
    if (!Object.hasOwn(found, member)) return {};
    found = found[member];
  }
  return isObject(found) ? found : undefined;
}

/** Prototypes differ from parser to parser, and do not count. */
function isEqual(read: Settings | undefined, wanted: Settings): boolean {
  return isDeepStrictEqual(structuredClone(read), structuredClone(wanted));
}

function wantedOf(before: Settings, { path, name, value }: EntryEdit): Settings | undefined {
  const object = objectAt(before, path);
  if (object === undefined) return undefined;
  const { [name]: _, ...others } = object;
  const changed = value === undefined ? others : { ...others, [name]: value };
  return withoutEmpty(replacedAt(before, path, changed), path);
}

function replacedAt(settings: Settings, [member, ...inner]: readonly string[], object: Settings): Settings {
  if (member === undefined) return object;
  const present = Object.hasOwn(settings, member) ? (settings[member] as Settings) : {};
  return { ...settings, [member]: replacedAt(present, inner, object) };
}

/** After the last entry the empty objects of the path may stay or not. */
function withoutEmpty(settings: Settings | undefined, [member, ...inner]: readonly string[]): Settings | undefined {
  if (settings === undefined || member === undefined || !isObject(settings[member])) return settings;
  const { [member]: object, ...others } = settings;
  const rest = withoutEmpty(object as Settings, inner)!;
  return Object.keys(rest).length === 0 ? others : { ...settings, [member]: rest };
}
