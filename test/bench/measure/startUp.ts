import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleStartUp } from '../cold/bundles.ts'
import { inTemporaryDirectory, start } from '../cold/start.ts'
import type { Effort } from '../effort.ts'
import { environmentOf } from '../environment.ts'
import { alternate, median } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'

/** From loading a peer to having its handler, when the SDK is loaded already. */
export interface StartUp {
  readonly peer: string
  readonly milliseconds: number
}

const PEERS = ['powertools', 'lineclear'] as const

export function measureStartUp(stub: Stub, effort: Effort): Promise<readonly StartUp[]> {
  return inTemporaryDirectory(async (directory) => {
    const runs: [string, () => Promise<number>][] = []
    for (const peer of PEERS) {
      const own = join(directory, peer)
      await mkdir(own)
      const bundle = await bundleStartUp(peer, own)
      runs.push([peer, async () => (await start([bundle], environmentOf(stub))).wall ?? Number.NaN])
    }
    const samples = await alternate(effort.starts, runs)
    return [...samples].map(([peer, values]) => ({ peer, milliseconds: median(values) }))
  })
}
