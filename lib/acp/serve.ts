// ollm as an agent of the Agent Client Protocol, version 1, on standard input and output: an editor starts it, and its
// sessions are sessions of ollm. Standard output has nothing but the protocol.
import { Readable, Writable } from 'node:stream';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError, type Stream } from '@agentclientprotocol/sdk';
import type { App } from '../app/app.ts';
import type { SettingsOptions } from '../app/start/settings.ts';
import { isOllmError } from '../errors/index.ts';
import { onAbort } from '../platform/waiting.ts';
import { VERSION } from '../version.ts';
import { sessionApp } from './session-app.ts';
import { AcpSessions, listedSessions } from './sessions.ts';

interface AcpStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Until the editor closes the input, or `signal` is aborted. Open sessions are closed in order. */
export async function serveAcp(
  app: App,
  options: SettingsOptions,
  { input, output, signal }: AcpStreams & { readonly signal: AbortSignal },
): Promise<void> {
  const stream = ndJsonStream(
    Writable.toWeb(output as Writable) as WritableStream<Uint8Array>,
    Readable.toWeb(input as Readable) as ReadableStream<Uint8Array>,
  );
  const { connection, sessions } = connect(app, options, stream);
  const stop = onAbort(signal, () => connection.close());
  await connection.closed;
  stop();
  await sessions.closeAll();
}

function connect(app: App, options: SettingsOptions, stream: Stream) {
  const sessions = new AcpSessions(
    {
      update: (sessionId, update) => connection.client.notify(methods.client.session.update, { sessionId, update }),
      ask: async (sessionId, toolCall, permissions) => {
        const params: RequestPermissionRequest = { sessionId, toolCall, options: [...permissions] };
        const answer: RequestPermissionResponse = await connection.client.request(
          methods.client.session.requestPermission,
          params,
        );
        return answer.outcome;
      },
    },
    (place) => sessionApp(app, options, place),
  );
  const served = agent({ name: 'ollm' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'ollm', title: 'ollm', version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params }) => told(() => sessions.begin(params)))
    .onRequest(methods.agent.session.load, ({ params }) =>
      told(async () => ({ modes: await sessions.resume(params.sessionId, params, { shows: true }) })),
    )
    .onRequest(methods.agent.session.resume, ({ params }) => {
      const place = { cwd: params.cwd, mcpServers: params.mcpServers ?? [] };
      return told(async () => ({ modes: await sessions.resume(params.sessionId, place, { shows: false }) }));
    })
    .onRequest(methods.agent.session.list, ({ params }) => told(() => listedSessions(app, params)))
    .onRequest(methods.agent.session.close, ({ params }) =>
      told(async () => {
        await sessions.close(params.sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      told(async () => {
        await sessions.setMode(params.sessionId, params.modeId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      told(() => sessions.prompt(params.sessionId, params.prompt)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId));
  const connection = served.connect(stream);
  return { connection, sessions };
}

const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const NOT_FOUND = -32_002;
const CODES: Readonly<Record<string, number>> = {
  USAGE: INVALID_PARAMS,
  SESSION_NOT_FOUND: NOT_FOUND,
  SESSION_ID_INVALID: INVALID_PARAMS,
  SESSION_AMBIGUOUS: INVALID_PARAMS,
};

/** Turns an OllmError into an error of the protocol: the sentence and the hint, with the code as data. */
async function told<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isOllmError(error)) throw error;
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    throw new RequestError(CODES[error.code] ?? INTERNAL, message, { code: error.code });
  }
}
