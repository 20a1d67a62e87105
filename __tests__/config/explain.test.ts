import fc from 'fast-check';
import { withoutSecret as shownOf } from '../../lib/config/explain.ts';

const withoutSecret = (key: string, value: unknown) => shownOf(key, value, (text) => text);

describe('the shown value of a setting', () => {
  it.each(['apiKey', 'apikey', 'providers.x.apiKey', 'token', 'accessToken', 'client_secret', 'db.password', 'keys'])(
    'is hidden for %s',
    (key) => {
      fc.assert(fc.property(fc.anything(), (value) => expect(withoutSecret(key, value)).toBe('[hidden]')));
    },
  );

  it.each(['model', 'services.session.maxSessions', 'monkey', 'services.environment.denyPatterns', 'tokenizer'])(
    'is visible for %s',
    (key) => {
      expect(withoutSecret(key, 'x')).toBe('x');
    },
  );

  it('hides the query of an address, and a password with any sign', () => {
    const shown = (url: string) => withoutSecret('providers.openai.baseUrl', url);
    expect(shown('https://host/v1?apikey=q7Hd82jL')).toBe('https://host/v1?[hidden]');
    expect(shown('https://me:wo/rd@host/v1')).toBe('https://[hidden]@host/v1');
    expect(shown('https://host/v1')).toBe('https://host/v1');
  });

  it('has the names of variables for a program, without their values', () => {
    expect(withoutSecret('runs.qwen.env', { TOKEN: 'x', URL: 'y' })).toEqual({ TOKEN: '[hidden]', URL: '[hidden]' });
  });

  it('hides the user in an address', () => {
    expect(withoutSecret('providers.ollama.host', 'https://me:word@host:1/x')).toBe('https://[hidden]@host:1/x');
    expect(withoutSecret('providers.ollama.host', 'http://host:1')).toBe('http://host:1');
  });

  it.each([
    'providers.ollama.host',
    'providers.bedrock.baseUrl',
    'providers.compatible.local.baseUrl',
    'mcp.servers.docs.url',
    'otel.endpoint',
    'tools.web.search',
    'tools.web.privateHosts.1',
    'nats.monitor',
    'store',
    'server.host',
    'server.hosts.0',
  ])('hides the user in an address of %s, with and without a scheme', (key) => {
    for (const scheme of ['https://', 'https:/', '//', '', ' ']) {
      for (const user of ['me:q7Hd82jL', 'me:q7/Hd82jL', 'q7Hd82jL', 'q7Hd82jL:', 'me:q7#Hd82jL ', 'a:1,me:q7Hd82jL']) {
        expect(withoutSecret(key, `${scheme}${user}@box:80/llm`)).toMatch(/^\S* ?\/{0,2}\[hidden\]@box:80\/llm$/);
      }
    }
    for (const open of ['box', 'box:80', 'https://box/@scope/llm']) expect(withoutSecret(key, open)).toBe(open);
  });

  it('hides a key in each place of a server and of a hook, in the whole record and in one member', () => {
    const key = 'q7Hd82jLmPz9xW41';
    const servers = [
      { command: ['docs', '--token', key] },
      { command: ['docs', `--api-key=${key}`] },
      { command: ['docs', '-H', `Cookie: sid=${key}`], env: ['DOCS_TOKEN'] },
      { command: [`docs --token ${key}`] },
      { command: ['docs', `https://me:${key}@example.org`] },
      { url: `https://example.org/mcp?key=${key}`, tokenEnv: 'DOCS_TOKEN' },
      { url: `https://example.org/s/${key}/mcp` },
    ];
    for (const server of servers) {
      const member = 'url' in server ? 'url' : 'command';
      const shown = withoutSecret('mcp.servers', { docs: server }) as { docs: typeof server };
      expect(JSON.stringify(shown)).toContain('[hidden]');
      expect(JSON.stringify(shown)).not.toContain(key);
      expect(shown.docs).toEqual({ ...server, [member]: (shown.docs as Record<string, unknown>)[member] });
      expect(withoutSecret('mcp.servers.docs', server)).toEqual(shown.docs);
    }
    expect(withoutSecret('hooks.beforeTool', [`notify --token ${key}`])).toEqual(['notify --token [hidden]']);
  });

  it('has the rest of a server, one that is called like a secret too', () => {
    const server = { command: ['pk-tools', 'pk-docs-server', '--auth', '--verbose'], cwd: '~/', disabled: true };
    expect(withoutSecret('mcp.servers', { token: server })).toEqual({ token: server });
    const url = 'https://example.org/projects/the-garden-of-2024/mcp';
    expect(withoutSecret('mcp.servers.token', { url })).toEqual({ url });
    expect(withoutSecret('tools.deny', ['bash(export TOKEN=*)'])).toEqual(['bash(export TOKEN=*)']);
  });

  it('hides a secret that its shape shows, under any name', () => {
    const redact = (text: string) => text.replace('drawn', '[redacted]');
    expect(shownOf('tools.allow', ['bash(x drawn)'], redact)).toEqual(['bash(x [redacted])']);
    expect(shownOf('prices', { 'a.b': { note: 'drawn' } }, redact)).toEqual({ 'a.b': { note: '[redacted]' } });
  });
});
