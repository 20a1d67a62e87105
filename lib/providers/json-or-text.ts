// Arguments of a call as they came: a text that is not JSON is passed on unchanged, so that the check of the tool's
// schema reports it to the model.
import { parseJson } from '../platform/json.ts';

export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
