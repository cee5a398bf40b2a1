import { idempotent } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { applyForgetting } from '../../../../src/tools/operator/forget/applyForgetting.ts'
import { planForgetting, type Taken } from '../../../../src/tools/operator/forget/planForgetting.ts'
import { toForget } from '../../../../src/tools/operator/forget/subject.ts'
import { lambdaContext } from '../../../deliver/lambdaContext.ts'

it('a key that has run again since the plan keeps its new result, and is said to have changed', async () => {
  const { store, clock, logger } = memoryCloud()
  let calls = 0
  const given = { store, clock, logger, name: 'payments', hash: 'plain', tenant: 'none' } as const
  const pay = idempotent(
    { ...given, retention: '1h', key: ({ id }: { id: string }) => id },
    async (_payment: { id: string }, _context: unknown) => `receipt ${(calls += 1)}`,
  )
  await pay({ id: 'p-1' }, lambdaContext())
  const shared = () => ({
    subject: toForget('payments/p-1'),
    objects: undefined,
    signal: new AbortController().signal,
    store,
    reader: {
      partition: async (pk: string) => store.items().filter((item) => item['pk'] === pk),
    },
    now: clock.now(),
  })
  const taken: Taken[] = []
  await planForgetting(shared(), (each) => taken.push(each))
  expect(taken).toHaveLength(1)
  clock.advance(2 * 3_600_000)
  await pay({ id: 'p-1' }, lambdaContext())
  const operator = { by: 'ann', why: 'request 12', onPage: async () => undefined }
  expect(await applyForgetting({ ...shared(), ...operator, only: taken })).toMatchObject({
    erased: [],
    notErased: [
      { what: 'payments/p-1 token: result', because: expect.stringContaining('changed') },
    ],
  })
  expect(await pay({ id: 'p-1' }, lambdaContext())).toBe('receipt 2')
})
