import { expect, it } from 'vitest'
import { run } from '../../../examples/reconcile/run.ts'

it('reconcile: sound books are balanced, and what is spoiled by hand is listed by id', async () => {
  const [sound, spoiled] = await run(4, () => {})
  expect(sound).toMatchObject({ verdict: 'balanced', right: 4, requests: 4 })
  expect(spoiled?.anomalies.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'double order-1',
    'lost order-2',
    'foreign order-0',
  ])
})
