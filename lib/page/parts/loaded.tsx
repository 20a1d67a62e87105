import type { ComponentChildren } from 'preact';
import type { Resource } from '../api/use-resource.ts';
import { FailureState } from './failure-state.tsx';
import { Skeleton } from './state.tsx';

interface Props<Value> {
  of: Resource<Value>;
  /** As of `Skeleton`. */
  what?: string;
  children: (value: Value) => ComponentChildren;
}

/** The body of a view: an answer of the server, the room of it while it loads, or why there is none. */
export function Loaded<Value>({ of: { value, failure, reload }, what, children }: Props<Value>) {
  if (failure) return <FailureState failure={failure} retry={reload} />;
  return (
    <div class="view-body" tabIndex={0}>
      {value === undefined ? <Skeleton what={what} /> : children(value)}
    </div>
  );
}
