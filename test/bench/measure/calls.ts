import { NAME_OF, type Shape } from '../events.ts'
import type { Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import { cpuPerRecord } from './cpu.ts'

const SETUPS = [{ peer: 'raw' }, { peer: 'powertoolsCalls' }, { peer: 'lineclearCalls' }] as const
const SHAPES: readonly Shape[] = ['unique', 'replayed']

/** A function that runs once per key, as behind an API. */
export const calls: Part = {
  name: 'calls',
  title: 'CPU of idempotent calls',
  measure({ database, effort: { rounds, warmUp, batches } }) {
    return withPeers(database, SETUPS, async (peers) => {
      const rows: (readonly [string, string, number, number])[] = []
      for (const shape of SHAPES) {
        const run = (times: number) =>
          peers.map((peer) => [peer.name, () => cpuPerRecord(peer, shape, 1, times)] as const)
        await alternate(1, run(10 * warmUp[1]))
        const samples = await alternate(rounds, run(batches[1]))
        const raw = samples.get('raw') ?? []
        for (const [peer, values] of samples) {
          rows.push([NAME_OF[shape], peer, median(values), medianRatio(values, raw)])
        }
      }
      const title = 'CPU per call of a function that runs once per key, TLS'
      return {
        tables: [{ title, head: ['call', 'peer', 'µs', 'to raw'], rows }],
        figures: {},
      }
    })
  },
}
