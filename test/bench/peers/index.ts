import { bare } from './bare.ts'
import { lineclear } from './lineclear.ts'
import type { Peer } from './peer.ts'
import { powertools } from './powertools.ts'
import { raw } from './raw.ts'

export type PeerName = 'bare' | 'raw' | 'powertools' | 'lineclear'
export const PEERS: Readonly<Record<PeerName, Peer>> = { bare, raw, powertools, lineclear }
