import { defineFlow, TerminalError } from 'lineclear'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { daysCloud } from '../../proof/lifetimes/days.ts'

const Trip = z.object({ key: z.string() })
const INSERT = 'INSERT INTO entries (id) VALUES ($1)'

// The epochs of a flow with `sql` begin at the time, and a dead letter carries that of its death.
it('a redriven dead letter reopens its run in a flow with sql, at each stage', async () => {
  const days = daysCloud(false)
  const { cloud } = days
  let isBroken = true
  const enter = (): void => {
    if (isBroken) throw new TerminalError('not yet')
  }
  const flow = defineFlow({
    ...days.options,
    sql: cloud.sql,
    name: 'trip',
    key: ({ key }) => key,
    stages: {
      book: { schema: Trip, queueUrl: days.url('work') },
      pay: { schema: Trip, queueUrl: days.url('next'), final: true },
    },
  })
  const book = flow.stageHandler('book', async (trip, ctx) => {
    await ctx.sql('enter', (tx) => tx.query(INSERT, ['booked']))
    enter()
    await ctx.next('pay', trip)
  })
  const pay = flow.stageHandler('pay', async (_trip, ctx) => {
    await ctx.sql('enter', (tx) => tx.query(INSERT, ['paid']))
    enter()
  })
  await flow.start({ key: 'k' })
  for (const [queue, stage] of [
    ['work', book],
    ['next', pay],
  ] as const) {
    isBroken = true
    await cloud.deliver(queue, stage)
    expect(days.reasons()).toEqual(['terminal'])
    isBroken = false
    await days.redrive(queue)
    await cloud.deliver(queue, stage)
    expect(days.reasons()).toEqual([])
  }
  expect(cloud.statements.map(({ values }) => values)).toEqual([['booked'], ['paid']])
  const record = days.store.items().find(({ sk }) => sk === 'stage')
  expect(record).not.toHaveProperty('uniquerequestid')
})
