// Every code that a route may answer: those that it names, and those that follow from its parameters and effects.
import { BODY_ERRORS, COMMON_ERRORS, READING_ERRORS, type RouteErrorCode, WRITING_ERRORS } from './errors.ts';
import type { Route } from './route.ts';

/** The lists in errors.ts that hold for a route. */
export function groupsOf({ body, upload, errors, writes }: Pick<Route, 'body' | 'upload' | 'errors' | 'writes'>) {
  return {
    body: body !== undefined || upload !== undefined,
    reading: writes === true || errors.includes('SESSION_NOT_FOUND'),
    writing: writes === true,
  };
}

/** @example errorsOf(route).includes('SESSION_LOCKED') */
export function errorsOf(route: Pick<Route, 'body' | 'upload' | 'errors' | 'writes'>): ReadonlySet<RouteErrorCode> {
  const { body, reading, writing } = groupsOf(route);
  return new Set([
    ...COMMON_ERRORS,
    ...route.errors,
    ...(body ? BODY_ERRORS : []),
    ...(reading ? READING_ERRORS : []),
    ...(writing ? WRITING_ERRORS : []),
  ]);
}
