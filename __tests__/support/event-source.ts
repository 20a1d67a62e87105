// A client of server-sent events, as a browser is one: it reads the events, and returns with the last id that it saw.
import { type ClientRequest, request } from 'node:http';
import type { Json, Served } from './served.ts';
import { until } from './until.ts';

export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Json;
}

export class EventClient {
  readonly events: SentEvent[] = [];
  status = 0;
  isEnded = false;
  lastId: string | undefined;
  readonly #server: Pick<Served, 'address' | 'token'>;
  readonly #path: string;
  #request: ClientRequest | undefined;
  #rest = '';

  constructor(server: Pick<Served, 'address' | 'token'>, path: string, lastId?: string) {
    this.#server = server;
    this.#path = path;
    this.lastId = lastId;
  }

  /** Resolves once the answer begins. */
  async open(): Promise<this> {
    const { address, token } = this.#server;
    const { hostname, port } = new URL(address);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(this.lastId !== undefined && { 'last-event-id': this.lastId }),
    };
    this.isEnded = false;
    this.#rest = '';
    await new Promise<void>((resolve, reject) => {
      this.#request = request({ hostname, port, path: this.#path, headers, agent: false }, (answer) => {
        this.status = answer.statusCode ?? 0;
        answer.setEncoding('utf8');
        answer.on('data', (text: string) => this.#read(text));
        answer.on('error', () => {});
        answer.on('close', () => {
          this.isEnded = true;
        });
        resolve();
      });
      this.#request.on('error', reject);
      this.#request.end();
    });
    return this;
  }

  close(): void {
    this.#request?.destroy();
  }

  /** Stored ones. */
  stored(): readonly SentEvent[] {
    return this.events.filter(({ event }) => event === 'message');
  }

  seqs(): readonly number[] {
    return this.stored().map(({ data }) => data.seq);
  }

  async until(condition: (client: this) => boolean): Promise<void> {
    await until(() => condition(this));
  }

  /** Waits for the stored event of a type, the first or a later one. */
  async type(type: string, count = 1): Promise<void> {
    await this.until(() => this.stored().filter(({ data }) => data.type === type).length >= count);
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').flatMap((line) => {
          const colon = line.indexOf(': ');
          return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 2)] as const];
        }),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      const id = fields.get('id');
      if (id !== undefined) this.lastId = id;
      this.events.push({ id, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    }
  }
}
