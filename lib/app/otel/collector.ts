// The collector of OpenTelemetry that the settings name: lines of OTLP/JSON go there one after the other, in the
// background. A collector that is gone costs a line in the log. The journal has everything, and `ollm export --format
// otel` gives the same spans later.
import { shownAddress } from '../../environment/shown-words.ts';
import { webAddress } from '../../environment/web-address.ts';
import { messageOf } from '../../errors/index.ts';
import { Lanes } from '../../platform/lanes.ts';
import { kept } from '../../platform/once.ts';
import type { App } from '../app.ts';

interface Collector {
  /** Returns at once. */
  send(line: string): void;
}

const ROUTE = 'v1/traces';
const TIMEOUT_MS = 5_000;
/** How long the end of the program waits for spans on their way. */
const CLOSE_MS = 2_000;
/** Lines that wait at most: further ones are dropped. */
const MAX_WAITING = 256;

const collectors = new WeakMap<App, Collector>();

/** The collector of the app, opened once. The setting `otel.endpoint` must be there. */
export function collectorOf(app: App): Collector {
  return kept(collectors, app, () => openCollector(app, app.config.otel.endpoint!));
}

function openCollector(app: App, endpoint: string): Collector {
  const url = tracesUrl(endpoint);
  const headers = { 'content-type': 'application/json', ...headersOf(app.env.OTEL_EXPORTER_OTLP_HEADERS ?? '') };
  const closing = new AbortController();
  let lost = 0;
  const posts = new Lanes(1);

  const post = async (body: string): Promise<void> => {
    try {
      if (typeof url === 'string') throw new Error(url);
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`It answered ${response.status}`);
      lost = 0;
    } catch (error) {
      // The log has one line for an outage of any length.
      if (lost === 0) warn(messageOf(error));
      lost += 1;
    }
  };
  const warn = (reason: string): void =>
    app.log.warn(
      {
        service: 'otel',
        operation: 'send',
        endpoint: shownAddress(endpoint),
        reason,
        action: 'Check otel.endpoint. "ollm export ID --format otel" gives the same spans later.',
      },
      'Spans did not reach the collector',
    );
  app.onClose(async () => {
    const timer = setTimeout(() => closing.abort(), CLOSE_MS);
    await posts.idle();
    clearTimeout(timer);
  });
  return {
    send(line) {
      if (posts.waiting < MAX_WAITING) void posts.run(() => post(line));
    },
  };
}

/** The endpoint may be the base address, as in the specification of OTLP, or the whole one. Or why it is neither. */
function tracesUrl(endpoint: string): URL | string {
  const url = webAddress(endpoint);
  if (typeof url === 'string') return url;
  if (!url.pathname.endsWith(`/${ROUTE}`)) url.pathname = `${url.pathname.replace(/\/$/, '')}/${ROUTE}`;
  return url;
}

/** `key=value,key=value`, values encoded as in a URL: the form of the variable in the specification. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decoded(value ?? '')]];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
