import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { invocationHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const SCHEDULES = 200

it('a schedule that is over is let go: tens of thousands of them would fill the memory', async () => {
  const stores: WeakRef<object>[] = []
  const settling = ({ store, clients, clock, logger }: CrashCloud) => {
    stores.push(new WeakRef(store))
    return invocationHandler({ name: 'settle', store, clients, clock, logger }, (_event, ctx) =>
      ctx.write('settle', { TableName: 't', Key: { id: 'all' }, add: { n: 1 } }),
    )
  }
  const options = { as: 'invocation', limit: SCHEDULES } as const
  await exploreCrashes(settling, { night: 1 }, options)
  await sleep(50)
  collect()
  expect(stores.length).toBeGreaterThan(SCHEDULES)
  const kept = stores.filter((store) => store.deref() !== undefined)
  // Calls that hang keep theirs until they are given up, after seconds.
  expect(kept.length).toBeLessThan(SCHEDULES / 2)
})
