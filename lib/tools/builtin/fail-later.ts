// What is wrong with a change tells what is in the file, or that there is one. Of a file that may be read it is said at
// once, before anybody is asked; of another one only when it is run, which the policy must have let pass.
import type { Action } from '../action.ts';
import type { ToolPlace, ToolPlan } from '../tool.ts';
import type { NamedFile } from './opened-file.ts';
import { type BuiltinToolPorts, mayRead } from './ports.ts';

/** @throws `failure`, if the file may be read without being asked for */
export function failLater(
  ports: Pick<BuiltinToolPorts, 'mayRead'>,
  file: NamedFile,
  place: ToolPlace,
  { action, failure }: { readonly action: Action; readonly failure: Error },
): ToolPlan {
  if (mayRead(ports, file.path, place) === 'allow') throw failure;
  return { action, run: () => Promise.reject(failure) };
}
