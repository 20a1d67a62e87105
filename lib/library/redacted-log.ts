// The log of a service: a caller's own log gets no secret and no text without end. Errors arrive as plain objects.
import { excerpt } from '../display/excerpt.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { redactValue } from '../environment/redact-value.ts';
import { defined } from '../platform/json.ts';
import type { Log, LogFields } from '../platform/log.ts';

const MAX_CHARACTERS = 2_000;
const MAX_CAUSES = 4;

export function redactedLog(log: Log, redactor: Redactor = createRedactor()): Log {
  const clean = (text: string): string => {
    const { text: redacted } = redactor.redact(text);
    return excerpt(redacted, MAX_CHARACTERS);
  };
  const line = (fields: LogFields): LogFields => redactValue(plain(fields), clean) as LogFields;
  return {
    error: (fields, message) => log.error(line(fields), clean(message)),
    warn: (fields, message) => log.warn(line(fields), clean(message)),
    info: (fields, message) => log.info(line(fields), clean(message)),
    debug: (fields, message) => log.debug(line(fields), clean(message)),
  };
}

function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainError(value)]));
}

function plainError(value: unknown, depth = 0): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  const { code, hint } = value as { code?: unknown; hint?: unknown };
  return {
    name,
    message,
    ...defined({ code, hint }),
    ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: plainError(cause, depth + 1) }),
  };
}
