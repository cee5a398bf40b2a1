import type { Effort } from './effort.ts'
import type { Shape } from './events.ts'
import { type ColdStart, measureCold } from './measure/cold.ts'
import { type Counted, countBatch } from './measure/counts.ts'
import { type Cpu, measureCpu } from './measure/cpu.ts'
import { type Growth, measureBatchGrowth, measurePayloadGrowth } from './measure/growth.ts'
import { measureMemory, type Memory } from './measure/memory.ts'
import { DOORS, type Door, sizesOf } from './measure/size.ts'
import type { BundleSizes } from './measure/bundleSize.ts'
import { measureSlow, type Slow } from './measure/slow.ts'
import { measureWall, type Wall } from './measure/wall.ts'
import type { Stub } from './stub/server.ts'

/** All measurements of a run; those that were left out are empty. */
export interface Results {
  readonly counts: readonly Counted[]
  readonly cpu: readonly Cpu[]
  readonly wall: readonly Wall[]
  readonly slow: readonly Slow[]
  readonly batchGrowth: readonly Growth[]
  readonly payloadGrowth: readonly Growth[]
  readonly memory: readonly Memory[]
  readonly cold: readonly ColdStart[]
  readonly size: readonly Size[]
}

interface Size extends BundleSizes {
  readonly door: Door
}

const PEERS = ['raw', 'powertools', 'lineclear'] as const
const SHAPES: readonly Shape[] = ['unique', 'replayed', 'half']
const SIZES = [1, 10, 100]
const LARGE_BATCH = 10_000

/** One after the other: nothing that is measured shares the machine with another measurement. */
export async function measureAll(
  stub: Stub,
  effort: Effort,
  say: (step: string) => void,
): Promise<Results> {
  const step = async <T>(name: string, measure: () => Promise<T>): Promise<T> => {
    say(name)
    return measure()
  }
  const large = effort.largest >= LARGE_BATCH
  return {
    counts: await step('requests, units and bytes', () => measureCounts(stub)),
    size: await step('bundle size', measureSize),
    cpu: await step('CPU per record', () => measureCpu(stub, effort)),
    wall: await step('wall time per batch', () => measureWall(stub, effort)),
    slow: await step('slow handlers', () => measureSlow(stub, effort)),
    payloadGrowth: large
      ? await step('payload size', () => measurePayloadGrowth(stub, effort))
      : [],
    cold: await step('cold start', () => measureCold(effort)),
    batchGrowth: large ? [await step('large batches', () => measureBatchGrowth(stub, effort))] : [],
    memory: large ? await step('memory', () => measureMemory(stub)) : [],
  }
}

async function measureCounts(stub: Stub): Promise<readonly Counted[]> {
  const counts: Counted[] = []
  for (const shape of SHAPES) {
    for (const size of SIZES) {
      for (const peer of PEERS) counts.push(await countBatch(stub, peer, shape, size))
    }
  }
  return counts
}

/** Of the source: its bundle is that of the package. */
function measureSize(): Promise<readonly Size[]> {
  return Promise.all(
    DOORS.map(async (door) => ({ door, ...(await sizesOf(door, ['lineclear:source'])) })),
  )
}
