export * from '../display/quantities.ts';
