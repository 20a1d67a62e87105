// What a question to the catalogue says while another process, or another thread of a server, writes to it.
export const SYNCED_ELSEWHERE = 'Another process brings the catalogue up to date: what is new may be missing.';
