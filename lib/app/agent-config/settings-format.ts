// The formats of settings files of other programs, each loaded when a file needs it.
import type { SettingsFormat } from '../../agent-config/edited.ts';

export async function formatOf(name: 'json' | 'toml'): Promise<SettingsFormat> {
  if (name === 'toml') return (await import('../../agent-config/edit-toml.ts')).tomlFormat;
  return (await import('../../agent-config/edit-json.ts')).jsonFormat;
}
