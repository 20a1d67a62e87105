// The title and the model of a session: reported once, and again when they change. Values before the first event belong
// to the beginning of the session.
import { checksum } from '../journal/line/checksum.ts';
import type { Given } from './given.ts';
import { saysSomething, shortText } from './members.ts';

/** The model of a session, and its provider. '' where it is not known. */
export interface ModelState {
  readonly turn: number;
  provider: string;
  model: string;
}

export function changeModel(provider: unknown, model: unknown, given: Given<ModelState>): void {
  const { state } = given;
  const name = shortText(model);
  const by = shortText(provider) ?? state.provider;
  if (name === undefined || (name === state.model && by === state.provider)) return;
  state.model = name;
  state.provider = by;
  if (given.seq > 1) given.add({ type: 'model.changed', data: { provider: by, model: name } });
}

export function changeTitle(
  text: unknown,
  by: 'user' | 'derived',
  given: Given<{ readonly turn: number; title: string }>,
): void {
  const title = shortText(text);
  if (!saysSomething(title) || title === given.state.title || markOf(title) === given.state.title) return;
  given.state.title = title;
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title, by } });
}

/** A state for a file: a title may hold a secret, and later only a change of it must be seen. */
export function withoutTitle<State extends object>(state: State): State {
  const { title } = state as { readonly title?: unknown };
  return typeof title === 'string' && title !== '' && !MARK.test(title) ? { ...state, title: markOf(title) } : state;
}

const MARK = /^xxh64:[0-9a-f]{16}$/;

function markOf(title: string): string {
  return `xxh64:${checksum(Buffer.from(title))}`;
}
