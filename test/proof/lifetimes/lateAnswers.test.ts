import { describe, expect, it } from 'vitest'
import { OUTAGE } from '../../flow/outages.ts'
import { HOUR, TABLES } from './days.ts'
import { trips } from './trips.ts'

describe.each(TABLES)('an answer, when what has expired is %s', (_table, deletes) => {
  it.each([true, false])(
    'to a run that was reset longer ago than the retention (onLate: %s)',
    async (late) => {
      const { old, deliver, answer, day, log, reasons } = trips({ deletes, late })
      await old.flow.start({ key: 'k' })
      await deliver('book', old.book)
      await old.flow.reset('k')
      day(5)
      await answer('q1', 5)
      await deliver('quotes', old.quotes)
      expect([log, reasons()]).toEqual(late ? [['book', ['late', 5]], []] : [['book'], ['too old']])
    },
  )

  it('that is retried, and is late then, reaches onLate', async () => {
    const { old, store, deliver, answer, log, reasons } = trips({ deletes })
    await old.flow.start({ key: 'k' })
    await deliver('book', old.book)
    await answer('q1', 5)
    const { update } = store
    // Its handler does not begin: the table does not take the mark that the answer is used.
    store.update = (updates) =>
      updates.some(({ set }) => set?.['used'] === true)
        ? Promise.resolve(updates.map(() => OUTAGE))
        : update(updates)
    await deliver('quotes', old.quotes)
    store.update = update
    await old.flow.reset('k')
    await deliver('quotes', old.quotes)
    expect([log, reasons()]).toEqual([['book', ['late', 5]], []])
  })

  it('that was refused, is redriven, and is late then, reaches onLate', async () => {
    const { old, deliver, answer, redrive, day, log, fails, settled, reasons } = trips({ deletes })
    await old.flow.start({ key: 'k' })
    await answer('q1', 5)
    await deliver('quotes', old.quotes)
    day(0.2)
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual(['unknown step'])
    await deliver('book', old.book)
    await old.flow.reset('k')
    fails.late = true
    expect(await redrive('quotes')).toBe(1)
    await deliver('quotes', old.quotes)
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual(['exhausted'])
    fails.late = false
    await redrive('quotes')
    await deliver('quotes', old.quotes)
    expect([log, reasons(), settled.at(-1)]).toEqual([
      ['book', ['late', 5]],
      [],
      { kind: 'completed' },
    ])
  })

  it('that died with its run, is redriven, and is late then, is a letter again', async () => {
    const { old, deliver, answer, redrive, fails, reasons } = trips({ deletes })
    await old.flow.start({ key: 'k' })
    await deliver('book', old.book)
    fails.quote = true
    await answer('q1', 5)
    await deliver('quotes', old.quotes)
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual(['exhausted'])
    fails.quote = false
    await redrive('quotes')
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual([])
  })

  it('to a dead run of every, after the retention, is a dead letter that continues the run', async () => {
    const trip = trips({ deletes, process: 'every', late: false })
    const { old, deliver, answer, redrive, day, fails, log, reasons } = trip
    await old.flow.start({ key: 'k' })
    await deliver('book', old.book)
    day(1.5)
    // The next request finds that the run is out of time.
    fails.ask = true
    await old.flow.start({ key: 'k' })
    await deliver('book', old.book)
    await old.flow.reset('k')
    await trip.take('book')
    day(6)
    await answer('q1', 5)
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual(['abandoned'])
    await redrive('quotes')
    await deliver('quotes', old.quotes)
    expect([log, reasons()]).toEqual([['book', ['q1=5']], []])
  })
})

it('an answer whose step vanishes while it is judged is neither used nor dropped', async () => {
  const { old, store, deliver, answer, clock, log, settled } = trips()
  await old.flow.start({ key: 'k' })
  await deliver('book', old.book)
  await old.flow.reset('k')
  await answer('q1', 5)
  const { read } = store
  let reads = 0
  store.read = async (keys, options) => {
    const isStep = keys.some(({ sk }) => sk.startsWith('await#'))
    if (isStep) reads += 1
    return isStep && reads === 2
      ? keys.map(() => ({ kind: 'found', item: undefined }))
      : read(keys, options)
  }
  await deliver('quotes', old.quotes)
  expect(settled.at(-1)).toMatchObject({ kind: 'failed' })
  store.read = read
  clock.advance(HOUR)
  await deliver('quotes', old.quotes)
  expect(log).toEqual(['book', ['late', 5]])
})

it.each([
  ['renamed', 'old', 'renamed'],
  ['not renamed', 'old', 'old'],
] as const)(
  'a counted answer of a join counts when its stage is tried again (%s)',
  async (_how, first, then) => {
    const { fails, answer, deliver, log, reasons, settled, ...trip } = trips({ ids: ['q1', 'q2'] })
    fails.book = true
    await trip[first].flow.start({ key: 'k' })
    await deliver('book', trip[first].book)
    await answer('q1', 1)
    await deliver('quotes', trip[first].quotes)
    fails.book = false
    await deliver('book', trip[then].book)
    await answer('q2', 2)
    await deliver('quotes', trip[then].quotes)
    await deliver('ship', trip[then].ship)
    expect([log, reasons(), settled.at(-1)]).toEqual([
      ['book', ['q1=1', 'q2=2'], 'ship'],
      [],
      { kind: 'completed' },
    ])
  },
)

it('a step that was renamed while its stage is tried again is asked for once in an attempt', async () => {
  const { fails, deliver, log, reasons, ...trip } = trips()
  fails.book = true
  await trip.old.flow.start({ key: 'k' })
  await deliver('book', trip.old.book)
  fails.book = false
  fails.twice = true
  await deliver('book', trip.renamed.book)
  expect([log, reasons()]).toEqual([[], ['terminal']])
})

it('onLate gets an answer once, also when its step is renamed', async () => {
  const { old, renamed, deliver, answer, log, settled } = trips()
  await old.flow.start({ key: 'k' })
  await deliver('book', old.book)
  await old.flow.reset('k')
  for (const { quotes } of [old, renamed]) {
    await answer('q1', 5)
    await deliver('quotes', quotes)
  }
  expect([log, settled.at(-1)]).toEqual([['book', ['late', 5]], { kind: 'duplicate' }])
})

describe.each([
  ['FIFO', true],
  ['standard', false],
] as const)('on a %s queue with a short grace', (_kind, fifo) => {
  it('an answer that came too early is accepted when it is given again', async () => {
    const { old, deliver, clock, log, reasons } = trips({ fifo, grace: '1s' })
    expect(await old.flow.answer('quote', { quoteId: 'q1', price: 5 })).toBe('unknown')
    clock.advance(2_000)
    await deliver('quotes', old.quotes)
    expect(reasons()).toEqual(['unknown step'])
    await old.flow.start({ key: 'k' })
    await deliver('book', old.book)
    expect(await old.flow.answer('quote', { quoteId: 'q1', price: 5 })).toBe('accepted')
    await deliver('quotes', old.quotes)
    expect(log).toEqual(['book', ['q1=5']])
  })
})
