import { afterEach, expect, it, vi } from 'vitest'
import { consumerOf } from './consumerOf.ts'

afterEach(() => void vi.useRealTimers())

it('the fake timers of a test runner hold up no invocation', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'clearTimeout', 'Date'] })
  const run = vi.fn<() => void>()
  const { send, deliver, settled } = consumerOf((_, ctx) => {
    run()
    return ctx.write('count', { TableName: 't', Key: { id: 'a' }, add: { n: 1 } })
  })
  await deliver([send('{"n":1}'), send('{"n":2}'), send('{"n":3}')])
  expect(settled).toEqual([{ kind: 'completed' }, { kind: 'completed' }, { kind: 'completed' }])
  expect(run).toHaveBeenCalledTimes(3)
})
