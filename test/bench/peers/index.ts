import type { Peer } from './peer.ts'

/** Each is loaded alone, so that no process holds the code of another peer. */
export const PEERS = {
  bare: async () => (await import('./bare.ts')).bare,
  raw: async () => (await import('./raw.ts')).raw,
  batched: async () => (await import('./batched.ts')).batched,
  powertools: async () => (await import('./powertools.ts')).powertools,
  lineclear: async () => (await import('./lineclear.ts')).lineclear,
  returned: async () => (await import('./returned.ts')).returned,
  stock: async () => (await import('./stock.ts')).stock,
  powertoolsCalls: async () => (await import('./powertoolsCalls.ts')).powertoolsCalls,
  lineclearCalls: async () => (await import('./lineclearCalls.ts')).lineclearCalls,
  sql: async () => (await import('./sql.ts')).sql,
  sqlByHand: async () => (await import('./sqlByHand.ts')).sqlByHand,
} satisfies Readonly<Record<string, () => Promise<Peer>>>

export type PeerName = keyof typeof PEERS
