import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DevState } from '../../../../src/tools/console/dev/types.ts'
import { projectFolder, startDevProcess, until } from './devHere.ts'

const RELOADS = 100
const AT_ONCE = 5

test(
  '100 reloads under load: no order is lost, and none counts twice',
  { timeout: 900_000 },
  async () => {
    await using dev = await startDevProcess(
      await projectFolder('test/tools/console/dev/reloads'),
      'dev.ts',
    )
    const times: number[] = []
    let sent = 0
    for (let reload = 1; reload <= RELOADS; reload++) {
      await dev.post('dev/send', { to: 'orders', times: AT_ONCE })
      sent += AT_ONCE
      await writeFile(join(dev.folder, 'version.ts'), `export const VERSION = ${reload}\n`)
      const state = await until(async () => {
        const now = await dev.get<DevState>('dev')
        return now.state === 'ready' && now.reloads >= reload && now
      })
      times.push(state.reloadMs ?? Number.NaN)
    }
    await until(async () => (await dev.book('counted = orders')) !== 'waiting')
    expect(await dev.book('counted = orders')).toBe('green')
    expect(await dev.book('nothing is written or sent again by another invocation')).toBe('green')
    expect(sent).toBe(RELOADS * AT_ONCE)
    const sorted = times.toSorted((a, b) => a - b)
    console.log(`reload: median ${sorted[50]} ms, slowest ${sorted.at(-1)} ms`)
    const [median = Number.NaN] = sorted.slice(50)
    expect(median).toBeGreaterThan(0)
  },
)
