import type { Part } from '../measured.ts'
import { type OpenPeer, withPeers } from '../process/openPeer.ts'
import { cpuPerRecord } from './cpu.ts'

const PEERS = ['raw', 'lineclear'] as const
const BATCH = 100
/** Records of one figure. */
const MEASURED = 2_000

/** What a record costs while V8 still compiles: less code runs more often in the loop, which makes 25 times as many calls. */
export const young: Part = {
  name: 'young',
  title: 'CPU per record of a young process',
  measure({ stub, effort: { ages } }) {
    const setups = PEERS.map((peer) => ({ peer }))
    return withPeers(stub, setups, async ([raw, lineclear]) => {
      if (raw === undefined || lineclear === undefined) throw new Error('no peer was opened')
      const rows: (readonly [string, number, number, number])[] = []
      let handled = 0
      for (const age of ages) {
        for (const peer of [raw, lineclear]) await handle(peer, age - handled)
        const [loop, ours] = [await measured(raw), await measured(lineclear)]
        handled = age + MEASURED
        rows.push([age.toLocaleString('en'), loop, ours, ours / loop])
      }
      const title = 'CPU per record of a young process, batch of 100, TLS'
      const head = ['records handled before', 'raw, µs', 'lineclear, µs', 'to raw']
      return { tables: [{ title, head, rows }], figures: {} }
    })
  },
}

async function handle(peer: OpenPeer, records: number): Promise<void> {
  if (records > 0) await cpuPerRecord(peer, 'unique', BATCH, records / BATCH)
}

function measured(peer: OpenPeer): Promise<number> {
  return cpuPerRecord(peer, 'unique', BATCH, MEASURED / BATCH)
}
