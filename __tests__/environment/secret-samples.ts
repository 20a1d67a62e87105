// A synthetic secret of each kind that must not be stored, in the words that people and programs write around it. Put
// together at run time, so that no scanner takes this file for a leak.
import { generateKeyPairSync } from 'node:crypto';

export interface SecretSample {
  /** Without the text around it, where the whole text is not the secret. */
  readonly secret: string;
  readonly text: string;
}

const LETTERS = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEf5gHiJk2LmNoP7qRsTu1VwXyZ09bCdE3fGhJ4kLmN5pQrS6tUvW7xYz8AbC';
const HEX = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0';
const mixed = (length: number) => LETTERS.repeat(2).slice(0, length);
const hex = (length: number) => HEX.repeat(2).slice(0, length);
const base64 = (bytes: number) => Buffer.from(mixed(bytes)).toString('base64');
const joined = (...parts: readonly string[]) => parts.join('');

const bare = (...parts: readonly string[]): SecretSample => ({
  secret: joined(...parts),
  text: `Use ${joined(...parts)} here.`,
});
const within = (before: string, secret: string, after = ''): SecretSample => ({
  secret,
  text: `${before}${secret}${after}`,
});

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export const SECRET_SAMPLES: Readonly<Record<string, SecretSample>> = {
  'OpenAI project': bare('sk-', 'proj-', mixed(48)),
  'OpenAI as secretlint knows it': bare('sk-', 'proj-', mixed(74), 'T3Blbk', 'FJ', mixed(74)),
  Anthropic: bare('sk-', 'ant-', 'api03-', mixed(93), 'AA'),
  OpenRouter: bare('sk-', 'or-v1-', hex(64)),
  Groq: bare('gs', 'k_', mixed(52)),
  xAI: bare('xa', 'i-', mixed(80)),
  Perplexity: bare('pp', 'lx-', mixed(48)),
  Replicate: bare('r', '8_', mixed(37)),
  LangSmith: bare('lsv2', '_pt_', hex(32), '_', hex(10)),
  'Hugging Face': bare('h', 'f_', mixed(34)),
  'Hugging Face, letters alone': bare('h', 'f_', 'aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH'),
  'Google API': bare('AI', 'za', mixed(35)),
  'Google OAuth': bare('ya', '29.', mixed(60)),
  'Google refresh': bare('1/', '/0', mixed(96)),
  'Google client': bare('GOC', 'SPX-', mixed(28)),
  'Google service account': within(
    '{"type":"service_account","private_key_id":"1","private_key":',
    JSON.stringify(pem),
    '}',
  ),
  'AWS key id': bare('AK', 'IA', 'Q3EGRI7PLKZ2VXYT'),
  'AWS secret': within('aws_secret_access_key = ', mixed(40), '\n'),
  'AWS secret in a constant': within('AWS_SECRET_ACCESS_KEY=', `${mixed(20)}/${mixed(19)}`, '\n'),
  'AWS session token': bare('IQo', 'Jb3JpZ2lu', base64(120)),
  'Azure AccountKey': within('DefaultEndpointsProtocol=https;AccountName=me;AccountKey=', base64(64), ';Endpoint=x'),
  'Azure SAS': within('https://x.blob.core.windows.net/c?sv=2024&sig=', encodeURIComponent(base64(32)), '&se=1'),
  DigitalOcean: bare('dop', '_v1_', hex(64)),
  Cloudflare: bare('cf', 'ut_', mixed(40), hex(8)),
  Heroku: within('HEROKU_API_KEY=', `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`),
  Vercel: bare('vc', 'p_', mixed(24)),
  Tailscale: bare('ts', 'key-', 'auth-', mixed(12), '-', mixed(24)),
  Supabase: bare('sb', 'p_', hex(40)),
  Neon: bare('np', 'g_', mixed(16)),
  Databricks: bare('da', 'pi', hex(32)),
  GitHub: bare('gh', 'p_', mixed(36)),
  'GitHub fine-grained': bare('github', '_pat_', mixed(22), '_', mixed(59)),
  GitLab: bare('gl', 'pat-', mixed(20)),
  npm: bare('np', 'm_', mixed(36)),
  'npm settings': within('//registry.example.org/:_authToken=', mixed(36), '\n'),
  PyPI: bare('py', 'pi-', 'AgEIcHlwaS5vcmc', mixed(60)),
  Docker: bare('dckr', '_pat_', mixed(27)),
  'Slack bot': bare('xo', 'xb-', '123456789012-', mixed(24)),
  'Slack webhook': within('https://', joined('hooks.slack', '.com/services/', 'T0123ABCD/B0123ABCD/', mixed(24))),
  'Discord webhook': within('https://', joined('discord', '.com/api/webhooks/', '123456789012345678/', mixed(68))),
  'Discord bot': bare(Buffer.from('123456789012345678').toString('base64url'), '.', 'Gh1jK2', '.', mixed(38)),
  'Discord bot, of several factors': bare('mf', 'a.', mixed(84)),
  Telegram: bare('1234567890', ':A', 'A', mixed(33)),
  SendGrid: bare('S', 'G.', mixed(22), '.', mixed(43)),
  Mailgun: bare('ke', 'y-', hex(32)),
  Twilio: bare('S', 'K', hex(32)),
  'Stripe live': bare('sk', '_live_', mixed(24)),
  'Stripe test': bare('sk', '_test_', mixed(24)),
  'Stripe webhook': bare('wh', 'sec_', mixed(32)),
  Shopify: bare('shp', 'at_', hex(32)),
  Linear: bare('lin', '_api_', mixed(40)),
  Notion: bare('nt', 'n_', '12345678901', mixed(35)),
  'Notion, older': bare('sec', 'ret_', mixed(43)),
  Figma: bare('fi', 'gd_', mixed(40)),
  'HashiCorp Vault': bare('hv', 's.', mixed(95)),
  Doppler: bare('dp', '.pt.', mixed(43)),
  '1Password': bare('ops', '_', Buffer.from(JSON.stringify({ email: 'me', secretKey: mixed(98) })).toString('base64')),
  age: bare('AGE-SECRET', '-KEY-1', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE'),
  Grafana: bare('gl', 'sa_', mixed(32), '_', hex(8)),
  'Grafana cloud': bare('gl', 'c_', base64(60)),
  PostHog: bare('ph', 'x_', mixed(43)),
  JWT: bare('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0.', mixed(43)),
  'private key': { secret: pem.split('\n')[3]!, text: `a ${pem} b` },
  'Ethereum key': within('PRIVATE_KEY=', `0x${hex(64)}`, '\n'),
  'a password in a URL': within('https://me:', joined('s3cr3t', 'horse'), '@host.example.org/x'),
  'a password of a database': within('postgres://me:', joined('s3cr3t', 'horse'), '@db.example.org:5432/x'),
  'Authorization: Bearer': within('Authorization: Bearer ', mixed(32), '\r\n'),
  'Authorization in JSON': within('{"authorization":"Bearer ', mixed(32), '"}'),
  'Authorization: Basic': within('Authorization: Basic ', Buffer.from(joined('me:s3cr3t', 'horse')).toString('base64')),
  DB_PASSWORD: within('DB_PASSWORD=', joined('hunter2', 'hunter2'), '\n'),
  'export API_KEY': within('export API_KEY="', joined('abcd1234', 'efgh5678'), '"'),
  'API_KEY bare': within('API_KEY=', joined('abcd1234', 'efgh5678'), '\n'),
  'password in JSON': within('{"password": "', joined('s3cr3t', 'value'), '"}'),
  'password in JSON in JSON': within('{\\"password\\": \\"', joined('s3cr3t', 'value'), '\\"}'),
  'password in YAML': within('db:\n  password: ', joined('s3cr3t', 'value'), '\n'),
  client_secret: within('{"client_secret":"', mixed(32), '"}'),
  'curl -u': within('curl -s -u me:', joined('s3cr3t', 'horse'), ' https://example.org'),
  'curl --user': within("curl https://example.org --user 'me:", joined('s3cr3t', 'horse'), "'"),
};
