// The formats of keys and tokens that identify themselves: a prefix, then a run of one kind of character. Only data;
// secret-shapes.ts uses it to read texts. Each row is as its provider publishes it; `least` tells a key from a word. A
// test holds the rows against the rules of secretlint: a rule that is new there and has no row here fails it.
import type { RUNS } from './text-runs.ts';

export interface KeyFormat {
  readonly kind: string;
  readonly prefixes: readonly string[];
  /** The characters after its prefix. */
  readonly body: keyof typeof RUNS;
  /** Characters of the body. */
  readonly least: number;
  /** The body has exactly this length. */
  readonly exactly?: number;
  /** It is a key even directly after a word: prefix and body together occur in nothing else. */
  readonly joins?: true;
}

export const KEY_FORMATS = [
  // Model providers.
  { kind: 'huggingface-token', prefixes: ['hf_'], body: 'alphanumeric', least: 30, joins: true },
  { kind: 'groq-key', prefixes: ['gsk_'], body: 'alphanumeric', least: 40, joins: true },
  { kind: 'xai-key', prefixes: ['xai-'], body: 'dashed', least: 40 },
  { kind: 'perplexity-key', prefixes: ['pplx-'], body: 'alphanumeric', least: 32, joins: true },
  { kind: 'replicate-token', prefixes: ['r8_'], body: 'alphanumeric', least: 32 },
  { kind: 'langsmith-key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: 'word', least: 24 },
  { kind: 'nvidia-key', prefixes: ['nvapi-'], body: 'dashed', least: 40, joins: true },
  { kind: 'cerebras-key', prefixes: ['csk-'], body: 'alphanumeric', least: 40 },
  { kind: 'pinecone-key', prefixes: ['pcsk_'], body: 'word', least: 40 },
  { kind: 'tavily-key', prefixes: ['tvly-'], body: 'dashed', least: 24 },
  { kind: 'google-key', prefixes: ['AIza'], body: 'dashed', least: 35, exactly: 35, joins: true },
  // Clouds.
  { kind: 'google-token', prefixes: ['ya29.'], body: 'dashed', least: 20 },
  { kind: 'google-token', prefixes: ['1//0'], body: 'dashed', least: 36 },
  { kind: 'google-client-secret', prefixes: ['GOCSPX-'], body: 'dashed', least: 20 },
  {
    kind: 'aws-key',
    prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA'],
    body: 'upper',
    least: 16,
    exactly: 16,
    joins: true,
  },
  { kind: 'aws-session-token', prefixes: ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz'], body: 'base64', least: 100 },
  { kind: 'digitalocean-token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: 'hex', least: 40, joins: true },
  { kind: 'cloudflare-token', prefixes: ['cfk_', 'cfut_', 'cfat_'], body: 'alphanumeric', least: 40 },
  { kind: 'alibaba-key', prefixes: ['LTAI'], body: 'alphanumeric', least: 20, exactly: 20 },
  { kind: 'heroku-key', prefixes: ['HRKU-'], body: 'dashed', least: 30 },
  {
    kind: 'vercel-token',
    prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_', 'vercel_blob_rw_'],
    body: 'word',
    least: 20,
  },
  { kind: 'netlify-token', prefixes: ['nfp_'], body: 'alphanumeric', least: 36, joins: true },
  { kind: 'render-key', prefixes: ['rnd_'], body: 'alphanumeric', least: 28 },
  { kind: 'fly-token', prefixes: ['fo1_', 'fm2_'], body: 'dashed', least: 40 },
  { kind: 'tailscale-key', prefixes: ['tskey-'], body: 'dashed', least: 24 },
  { kind: 'pulumi-token', prefixes: ['pul-'], body: 'hex', least: 40 },
  // Databases.
  { kind: 'supabase-key', prefixes: ['sbp_', 'sb_secret_'], body: 'word', least: 24 },
  { kind: 'neon-key', prefixes: ['napi_'], body: 'word', least: 40 },
  { kind: 'neon-password', prefixes: ['npg_'], body: 'alphanumeric', least: 10 },
  { kind: 'planetscale-key', prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: 'dotted', least: 32 },
  { kind: 'databricks-token', prefixes: ['dapi'], body: 'hex', least: 32, exactly: 32, joins: true },
  // Forges, packages, builds.
  {
    kind: 'github-token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    body: 'alphanumeric',
    least: 36,
    joins: true,
  },
  { kind: 'github-token', prefixes: ['github_pat_'], body: 'word', least: 22, joins: true },
  {
    kind: 'gitlab-token',
    prefixes: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glft-', 'glimt-', 'glagent-', 'glsoat-', 'gloas-'],
    body: 'dashed',
    least: 20,
    joins: true,
  },
  { kind: 'bitbucket-token', prefixes: ['ATBB', 'ATCTT3', 'ATATT3'], body: 'dashed', least: 28 },
  { kind: 'npm-token', prefixes: ['npm_'], body: 'alphanumeric', least: 36, joins: true },
  { kind: 'pypi-token', prefixes: ['pypi-'], body: 'dashed', least: 50 },
  { kind: 'rubygems-key', prefixes: ['rubygems_'], body: 'hex', least: 40, joins: true },
  { kind: 'docker-token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: 'dashed', least: 20 },
  { kind: 'clojars-token', prefixes: ['CLOJARS_'], body: 'alphanumeric', least: 60, joins: true },
  { kind: 'buildkite-token', prefixes: ['bkua_'], body: 'hex', least: 40 },
  { kind: 'sonar-token', prefixes: ['squ_', 'sqp_', 'sqa_'], body: 'hex', least: 40 },
  // Watching and secrets.
  { kind: 'vault-token', prefixes: ['hvs.', 'hvb.', 'hvr.'], body: 'dashed', least: 24 },
  {
    kind: 'doppler-token',
    prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    body: 'dotted',
    least: 36,
  },
  { kind: '1password-token', prefixes: ['ops_ey'], body: 'base64', least: 60 },
  { kind: 'age-key', prefixes: ['AGE-SECRET-KEY-1'], body: 'upper', least: 50 },
  { kind: 'grafana-token', prefixes: ['glsa_'], body: 'word', least: 32 },
  { kind: 'grafana-token', prefixes: ['glc_'], body: 'base64', least: 32 },
  { kind: 'sentry-token', prefixes: ['sntrys_', 'sntryu_'], body: 'word', least: 40 },
  { kind: 'posthog-key', prefixes: ['phx_', 'phc_'], body: 'alphanumeric', least: 32 },
  { kind: 'newrelic-key', prefixes: ['NRAK-', 'NRJS-'], body: 'alphanumeric', least: 19 },
  { kind: 'dynatrace-token', prefixes: ['dt0c01.'], body: 'dotted', least: 60 },
  // Messages, work and money.
  {
    kind: 'slack-token',
    prefixes: ['xapp-', ...'abeoprs'.split('').map((letter) => `xox${letter}-`)],
    body: 'dashed',
    least: 16,
    joins: true,
  },
  {
    kind: 'slack-webhook',
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/'],
    body: 'path',
    least: 20,
  },
  { kind: 'discord-token', prefixes: ['mfa.'], body: 'dashed', least: 84, exactly: 84 },
  {
    kind: 'discord-webhook',
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    body: 'path',
    least: 40,
  },
  { kind: 'sendgrid-key', prefixes: ['SG.'], body: 'dotted', least: 40 },
  { kind: 'mailgun-key', prefixes: ['key-'], body: 'hex', least: 32, exactly: 32 },
  { kind: 'brevo-key', prefixes: ['xkeysib-'], body: 'dashed', least: 40 },
  { kind: 'twilio-key', prefixes: ['SK'], body: 'hex', least: 32, exactly: 32 },
  { kind: 'linear-key', prefixes: ['lin_api_', 'lin_oauth_'], body: 'word', least: 32 },
  { kind: 'notion-token', prefixes: ['ntn_'], body: 'alphanumeric', least: 40 },
  { kind: 'notion-token', prefixes: ['secret_'], body: 'alphanumeric', least: 43, exactly: 43 },
  { kind: 'figma-token', prefixes: ['figd_'], body: 'dashed', least: 36 },
  { kind: 'postman-key', prefixes: ['PMAK-'], body: 'dashed', least: 40 },
  { kind: 'contentful-token', prefixes: ['CFPAT-'], body: 'dashed', least: 40 },
  { kind: 'typeform-token', prefixes: ['tfp_'], body: 'dashed', least: 40 },
  { kind: 'hubspot-token', prefixes: ['pat-na1-', 'pat-na2-', 'pat-eu1-'], body: 'dashed', least: 36 },
  { kind: 'stripe-key', prefixes: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], body: 'word', least: 20 },
  { kind: 'stripe-key', prefixes: ['whsec_'], body: 'base64', least: 24 },
  { kind: 'shopify-token', prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], body: 'alphanumeric', least: 32 },
  { kind: 'square-token', prefixes: ['sq0atp-', 'sq0csp-'], body: 'dashed', least: 22 },
] as const satisfies readonly KeyFormat[];

export type KeyKind = (typeof KEY_FORMATS)[number]['kind'];
