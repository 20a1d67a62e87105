// Reads the media type of an answer, and members of one that may have any shape. Pure.
import { isObject } from '../../platform/json.ts';
import type { ModelInfo } from '../provider.ts';

/** `text/html` of `text/html; charset=utf-8`. */
export function mediaTypeOf(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
}

/** The object at this path of member names; empty if it does not exist. */
export function objectIn(value: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  const inner = names.reduce((outer, name) => (isObject(outer) ? outer[name] : undefined), value);
  return isObject(inner) ? inner : {};
}

export function listIn(value: unknown, name: string): readonly unknown[] {
  const list = objectIn(value)[name];
  return Array.isArray(list) ? list : [];
}

export function numberIn(value: unknown, name: string): number | undefined {
  const number = objectIn(value)[name];
  return typeof number === 'number' ? number : undefined;
}

/** The models of a list: those whose name `read` finds. */
export function modelsIn(
  answer: unknown,
  list: string,
  read: (model: Readonly<Record<string, unknown>>) => {
    readonly name: unknown;
    readonly contextWindow: number | undefined;
  },
): readonly ModelInfo[] {
  return listIn(answer, list).flatMap((each): ModelInfo[] => {
    const { name, contextWindow } = read(objectIn(each));
    return typeof name === 'string' && name !== '' ? [{ name, contextWindow }] : [];
  });
}
