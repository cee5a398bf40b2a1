import { bare } from './bare.ts'
import { lineclearCalls, powertoolsCalls } from './calls.ts'
import { lineclear } from './lineclear.ts'
import type { Peer } from './peer.ts'
import { powertools } from './powertools.ts'
import { raw } from './raw.ts'
import { stock } from './stock.ts'

export type PeerName = keyof typeof PEERS
export const PEERS = {
  bare,
  raw,
  powertools,
  lineclear,
  stock,
  powertoolsCalls,
  lineclearCalls,
} satisfies Readonly<Record<string, Peer>>
