// Arguments of a call as they came: what is not JSON is passed on as the text that it is, so that the check of the
// tool's schema tells the model.
import { parseJson } from '../platform/json.ts';

export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
